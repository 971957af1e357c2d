package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingNetwork;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A starting server publishes no routing that lacks tables or servers only because they are not read yet. */
class RoutingPublisherTest {
    private static final long SECOND = 1_000_000_000L;
    private static final TableName A = new TableName("a");
    private static final TableName B = new TableName("b");

    private final TestingLoop loop = new TestingLoop();
    private final TestingStore store = new TestingStore();
    private final TestingRegistry registry = new TestingRegistry(loop, store);
    private final List<Routing> told = new ArrayList<>();
    private final Board board = new Board();

    @SuppressWarnings("NullAway")
    private final class Board implements TableViewCache.Listener {
        private final Environment env =
                new Environment(loop, loop, new TestingNetwork(loop), registry, null, null, null, () -> 1);
        private final RegistryWatches watches = new RegistryWatches(registry);
        private final TableViewCache views = new TableViewCache(env, SECOND / 10, watches, this);
        private final ClusterMembers members = new ClusterMembers(env, SECOND / 10, watches, this::change, read -> {});
        private final RoutingPublisher routing = new RoutingPublisher(loop, "test", views, members);

        private void start() {
            routing.addListener(told::add);
            members.start();
            views.start();
            loop.run(SECOND);
        }

        private void change() {
            routing.onChange();
        }

        @Override
        public void onChanged(TableViewCache.View view) {
            change();
        }

        @Override
        public void onGone(TableViewCache.View last) {
            change();
        }

        @Override
        public void onListed() {
            change();
        }

        @Override
        public void onComplete() {
            change();
        }
    }

    private void table(TableName name, long id) {
        TableMeta meta = new TableMeta(
                name, id, new Partitioner.Hash(1), "id", ConsistencyLevel.EVENTUAL, 1, 1, OnLoss.WAIT, "kv", Map.of());
        ServerId server = new ServerId("s1");
        TableMap map = new TableMap(
                name,
                id,
                List.of(new ActorState(
                        0, 1, server, List.of(server), List.of(), List.of(), List.of(server), Map.of(), 0)));
        store.multi(
                "other",
                List.of(
                        new Op.Create(RegistryPaths.meta(name), meta, false),
                        new Op.Create(RegistryPaths.map(name), map, false)));
    }

    private void server(String name) {
        ServerId id = new ServerId(name);
        store.multi(
                "other",
                List.of(new Op.Create(
                        RegistryPaths.server(id),
                        new ServerRecord(id, 1, new Address(name, 8000), "z", new Capacity(1, 1, 1), List.of()),
                        true)));
    }

    @Test
    void nothingIsToldBeforeEveryMapIsRead() {
        table(A, 1);
        table(B, 2);
        server("s1");
        registry.holdReads(path -> path.equals(RegistryPaths.map(B)));
        board.start();
        assertThat(registry.holding()).isEqualTo(1);
        assertThat(told).isEmpty();
        assertThat(board.routing.routing()).isEmpty();
        registry.release();
        loop.run(SECOND);
        assertThat(told)
                .isNotEmpty()
                .allSatisfy(routing -> assertThat(routing.tables()).hasSize(2));
    }

    @Test
    void nothingIsToldBeforeTheServersAreRead() {
        table(A, 1);
        server("s1");
        registry.holdReads(path -> path.startsWith(RegistryPaths.SERVERS));
        board.start();
        assertThat(told).isEmpty();
        registry.release();
        loop.run(SECOND);
        assertThat(told)
                .isNotEmpty()
                .allSatisfy(routing -> assertThat(routing.servers()).hasSize(1));
    }

    @Test
    void aClusterWithoutTablesAndServersIsTold() {
        board.start();
        assertThat(told)
                .isNotEmpty()
                .allSatisfy(routing -> assertThat(routing.tables()).isEmpty());
    }

    @Test
    void aTableThatIsDroppedMeanwhileHoldsNothingUp() {
        table(A, 1);
        table(B, 2);
        server("s1");
        registry.holdReads(path -> path.equals(RegistryPaths.map(B)));
        board.start();
        store.multi(
                "other",
                List.of(
                        new Op.Delete(
                                RegistryPaths.map(B),
                                store.read(RegistryPaths.map(B)).version()),
                        new Op.Delete(
                                RegistryPaths.meta(B),
                                store.read(RegistryPaths.meta(B)).version())));
        registry.release();
        loop.run(SECOND);
        assertThat(told)
                .isNotEmpty()
                .allSatisfy(routing -> assertThat(routing.tables()).hasSize(1));
    }

    @Test
    void aTableMadeLaterIsToldOnceItIsRead() {
        table(A, 1);
        server("s1");
        board.start();
        registry.holdReads(path -> path.equals(RegistryPaths.map(B)));
        table(B, 2);
        server("s2");
        loop.run(SECOND);
        Routing last = told.get(told.size() - 1);
        assertThat(last.tables()).hasSize(1);
        assertThat(last.servers()).hasSize(2);
        registry.release();
        loop.run(SECOND);
        assertThat(told.get(told.size() - 1).tables()).hasSize(2);
    }

    /** A planner that waits for it does not report an existing table as missing. */
    @Test
    void aSearchEndsWhenATableMadeBeforeItIsRead() {
        table(A, 1);
        server("s1");
        board.start();
        registry.holdReads(path -> path.equals(RegistryPaths.map(B)));
        table(B, 2);
        List<Integer> found = new ArrayList<>();
        board.views.awaitAllTables(outcome -> {
            assertThat(outcome).isInstanceOf(Outcome.Ok.class);
            found.add(board.routing.routing().orElseThrow().tables().size());
        });
        loop.run(SECOND);
        assertThat(found).isEmpty();
        registry.release();
        loop.run(SECOND);
        assertThat(found).containsExactly(2);
    }

    @Test
    void aSearchFailsWhereATableOrTheListOfThemCannotBeRead() {
        table(A, 1);
        server("s1");
        board.start();
        List<Outcome<Done>> found = new ArrayList<>();
        for (String path : List.of(RegistryPaths.TABLES, RegistryPaths.map(B))) {
            registry.holdReads(path::equals);
            board.views.awaitAllTables(found::add);
            loop.run(SECOND);
            assertThat(found)
                    .as("the registry answers the sync, and not the read of %s", path)
                    .isEmpty();
            registry.cut(true);
            registry.release();
            loop.run(SECOND);
            assertThat(found).singleElement().isInstanceOf(Outcome.Err.class);
            found.clear();
            registry.cut(false);
            table(B, 2);
        }
        board.views.awaitAllTables(found::add);
        loop.run(SECOND);
        assertThat(found).singleElement().isInstanceOf(Outcome.Ok.class);
        assertThat(board.routing.routing().orElseThrow().tables()).hasSize(2);
    }

    @Test
    void aSearchWithNothingNewEnds() {
        table(A, 1);
        server("s1");
        board.start();
        List<Outcome<Done>> found = new ArrayList<>();
        board.views.awaitAllTables(found::add);
        board.views.awaitAllTables(found::add);
        loop.run(SECOND);
        assertThat(found).hasSize(2);
    }
}
