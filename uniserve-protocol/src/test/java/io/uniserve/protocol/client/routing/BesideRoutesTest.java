package io.uniserve.protocol.client.routing;

import static io.uniserve.protocol.client.routing.TestingWorld.actor;
import static io.uniserve.protocol.client.routing.TestingWorld.address;
import static io.uniserve.protocol.client.routing.TestingWorld.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ActorState;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.update.TestingClientNetwork.Read;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Choice of servers that have actors of several tables. */
class BesideRoutesTest {
    private static final TableName ONE = new TableName("one");
    private static final TableName TWO = new TableName("two");
    private static final TableName THREE = new TableName("three");

    private final TestingWorld world = new TestingWorld();

    private static TableRoute table(TableName name, long id, Partitioner partitioner, ActorState... actors) {
        TableMeta meta = new TableMeta(
                name, id, partitioner, "id", ConsistencyLevel.EVENTUAL, 2, 1, OnLoss.WAIT, "kv", Map.of());
        return new TableRoute(meta, new TableMap(name, id, List.of(actors)), 1);
    }

    private static TableRoute table(TableName name, long id, ActorState... actors) {
        return table(name, id, new Partitioner.Hash(actors.length), actors);
    }

    private static Routing routing(int servers, TableRoute... tables) {
        List<ServerRecord> live = IntStream.rangeClosed(1, servers)
                .mapToObj(i -> new ServerRecord(server(i), 1, address(i), "z", new Capacity(1, 1, 1), List.of()))
                .toList();
        return new Routing("c", List.of(tables), live, null);
    }

    private static Optional<List<Set<io.uniserve.model.ServerId>>> together(Routing routing, ColocatedTables beside) {
        return RouteIndex.of(routing).colocatedServers(ONE, beside).map(servers -> List.copyOf(servers.values()));
    }

    @Test
    void serversThatHaveAll() {
        TableRoute one = table(ONE, 1, actor(0, 1, 1, 2), actor(1, 1, 2, 3));
        TableRoute two = table(TWO, 2, actor(0, 1, 2, 1), actor(1, 1, 3, 1));
        TableRoute three = table(THREE, 3, actor(0, 1, 2, 3), actor(1, 1, 1, 3));
        Routing all = routing(3, one, two, three);
        assertThat(together(all, new ColocatedTables(1, Map.of(TWO, 2L))))
                .hasValue(List.of(Set.of(server(1), server(2)), Set.of(server(3))));
        assertThat(together(all, new ColocatedTables(1, Map.of(TWO, 2L, THREE, 3L))))
                .hasValue(List.of(Set.of(server(2)), Set.of(server(3))));
        assertThat(together(routing(2, one, two), new ColocatedTables(1, Map.of(TWO, 2L))))
                .as("server 3 is gone")
                .isEmpty();
    }

    @Test
    void anotherTableOfTheNameOrAnotherRuleIsNone() {
        TableRoute one = table(ONE, 1, actor(0, 1, 1), actor(1, 1, 2));
        TableRoute two = table(TWO, 2, actor(0, 1, 1), actor(1, 1, 2));
        TableRoute range = table(TWO, 2, new Partitioner.Range(List.of(5L)), actor(0, 1, 1), actor(1, 1, 2));
        assertThat(together(routing(2, one, two), new ColocatedTables(1, Map.of(TWO, 2L))))
                .isPresent();
        assertThat(together(routing(2, one, two), new ColocatedTables(1, Map.of(TWO, 9L))))
                .isEmpty();
        assertThat(together(routing(2, one, two), new ColocatedTables(9, Map.of(TWO, 2L))))
                .isEmpty();
        assertThat(together(routing(2, one), new ColocatedTables(1, Map.of(TWO, 2L))))
                .isEmpty();
        assertThat(together(routing(2, one, range), new ColocatedTables(1, Map.of(TWO, 2L))))
                .isEmpty();
    }

    private Read ask(ColocatedTables beside) {
        List<Object> unused = outcomes(beside);
        return world.network.lastRead();
    }

    private List<Object> outcomes(ColocatedTables beside) {
        Query query = new Query(
                ONE,
                Optional.empty(),
                "op@1",
                Bytes.EMPTY,
                ReadMode.LINEARIZABLE,
                world.nanos() + 1_000 * TestingWorld.MS,
                Map.of(),
                beside);
        List<Object> outcomes = new ArrayList<>();
        new QueryExecution(world.environment(), query, outcomes::add).start();
        return outcomes;
    }

    @Test
    void aServerThatHasBothIsAskedAndToldOfBoth() {
        world.change(routing(3, table(ONE, 1, actor(0, 4, 1, 2, 3)), table(TWO, 2, actor(0, 7, 3, 2))));
        Read read = ask(new ColocatedTables(1, Map.of(TWO, 2L)));
        assertThat(read.server).isIn(2, 3);
        assertThat(read.request.colocated())
                .containsExactly(new ReadRequest.ColocatedTargets(TWO, 2, List.of(new ReadRequest.Target(0, 7, 0))));
    }

    @Test
    void whatWasMadeAgainIsNotNamed() {
        world.change(routing(3, table(ONE, 1, actor(0, 4, 1, 2)), table(TWO, 3, actor(0, 7, 2, 3))));
        assertThat(ask(new ColocatedTables(1, Map.of(TWO, 2L))).request.colocated())
                .isEmpty();
        world.change(routing(3, table(ONE, 5, actor(0, 4, 1, 2)), table(TWO, 2, actor(0, 7, 2, 3))));
        assertThat(ask(new ColocatedTables(1, Map.of(TWO, 2L))).request.colocated())
                .isEmpty();
    }

    /** The plan is made again, so the work of the other reads is wasted. */
    @Test
    void theFirstThatDoesNotFindTheOtherTableEndsTheReadsOfAll() {
        world.change(routing(
                3,
                table(ONE, 1, actor(0, 4, 1), actor(1, 4, 2), actor(2, 4, 3)),
                table(TWO, 2, actor(0, 7, 1), actor(1, 7, 2), actor(2, 7, 3))));
        // An actor's answer is its number here.
        List<Object> outcomes = outcomes(new ColocatedTables(1, Map.of(TWO, 2L), Bytes.utf8("1")));
        Map<Integer, Read> reads =
                world.network.reads.stream().collect(Collectors.toMap(read -> read.server, read -> read));
        assertThat(reads).containsOnlyKeys(1, 2, 3);
        Objects.requireNonNull(reads.get(1)).answerEach();
        assertThat(outcomes).isEmpty();
        Objects.requireNonNull(reads.get(2)).answerEach();
        assertThat(outcomes)
                .singleElement()
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((QueryResult) ok.value()).parts())
                                .containsExactly(Bytes.utf8("0"), Bytes.utf8("1")));
        assertThat(Objects.requireNonNull(reads.get(3)).cancelled).isTrue();
        Objects.requireNonNull(reads.get(3)).answerEach();
        assertThat(outcomes).hasSize(1);
    }
}
