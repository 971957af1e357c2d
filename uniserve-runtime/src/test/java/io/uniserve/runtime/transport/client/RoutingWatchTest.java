package io.uniserve.runtime.transport.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.server.Loopback;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RoutingWatchTest {
    private final Loopback first = new Loopback();
    private final Loopback second = new Loopback();
    private final List<Routing> seen = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        first.close();
        second.close();
        assertThat(first.fatal.get()).isNull();
    }

    private RoutingClient client(ClusterIdentity cluster, Address... bootstrap) {
        RoutingClient client = new RoutingClient(
                Set.of(bootstrap),
                first.channels,
                cluster,
                first.loop,
                SystemClock.INSTANCE,
                new RandomIdGenerator(),
                seen::add);
        client.start();
        return client;
    }

    private Routing routing(String cluster, int mapVersion, Address... servers) {
        ServerId server = new ServerId("s");
        TableMeta meta = new TableMeta(
                new TableName("t"),
                1,
                new Partitioner.Hash(1),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "kv",
                Map.of());
        ActorState actor = new ActorState(
                0, mapVersion, server, List.of(server), List.of(), List.of(), List.of(server), Map.of(), 0);
        List<ServerRecord> records = Arrays.stream(servers)
                .map(address -> new ServerRecord(server, 1, address, "z", new Capacity(1, 1, 1), List.of()))
                .toList();
        return new Routing(
                cluster,
                List.of(new TableRoute(meta, new TableMap(meta.name(), 1, List.of(actor)), mapVersion)),
                records,
                null);
    }

    @Test
    void tellsThePresentStateAndEveryLaterOne() {
        ClusterIdentity cluster = ClusterIdentity.unknown();
        first.routing.publish(routing(Loopback.CLUSTER, 1, first.address));
        try (RoutingClient client = client(cluster, first.address)) {
            await().until(() -> seen.size() == 1);
            assertThat(cluster.name()).isEqualTo(Loopback.CLUSTER);
            first.routing.publish(routing(Loopback.CLUSTER, 2, first.address));
            await().until(() -> seen.size() == 2);
            assertThat(seen.get(1)).isEqualTo(routing(Loopback.CLUSTER, 2, first.address));
            client.close();
        }
        await().until(() -> first.routing.watchers() == 0);
    }

    @Test
    void goesToAnotherServerOfTheMapWhenItsOwnDies() {
        first.routing.publish(routing(Loopback.CLUSTER, 1, first.address, second.address));
        second.routing.publish(routing(Loopback.CLUSTER, 2, second.address));
        try (RoutingClient client = client(ClusterIdentity.unknown(), first.address)) {
            await().until(() -> !seen.isEmpty());
            first.server.close();
            await().until(() -> last().tables().get(0).mapVersion() == 2);
            client.close();
        }
    }

    @Test
    void neverGoesBackToAnOlderMap() {
        first.routing.publish(routing(Loopback.CLUSTER, 5, first.address, second.address));
        second.routing.publish(routing(Loopback.CLUSTER, 4, second.address));
        try (RoutingClient client = client(ClusterIdentity.unknown(), first.address)) {
            await().until(() -> !seen.isEmpty());
            first.server.close();
            await().until(() -> last().servers().size() == 1);
            assertThat(last().tables().get(0).mapVersion()).isEqualTo(5);
            second.routing.publish(routing(Loopback.CLUSTER, 6, second.address));
            await().until(() -> last().tables().get(0).mapVersion() == 6);
            client.close();
        }
    }

    @Test
    void asksElsewhereOnRefresh() {
        first.routing.publish(routing(Loopback.CLUSTER, 1, first.address, second.address));
        second.routing.publish(routing(Loopback.CLUSTER, 2, first.address, second.address));
        try (RoutingClient client = client(ClusterIdentity.unknown(), first.address)) {
            await().until(() -> !seen.isEmpty());
            await().until(() -> {
                client.refresh();
                return last().tables().get(0).mapVersion() == 2;
            });
        }
    }

    /** With equal time-outs for all watches, the client would never get a map from a slower source. */
    @Test
    void aSlowSourceIsGivenMoreTimeWhenItIsAskedAgain() {
        first.routing.publish(routing(Loopback.CLUSTER, 1, first.address));
        first.source = listener -> first.loop.after(1_500_000_000, () -> first.routing.watch(listener));
        try (RoutingClient client = client(ClusterIdentity.unknown(), first.address)) {
            await().until(() -> !seen.isEmpty());
            client.close();
        }
    }

    @Test
    void refusesAnotherClusterAndSaysWhatItTried() {
        first.routing.publish(routing("cluster-b", 1, first.address));
        List<Attempt> tried = new CopyOnWriteArrayList<>();
        try (RoutingClient client = client(ClusterIdentity.of("cluster-z"), first.address)) {
            await().until(() -> {
                first.loop.execute(() -> tried.addAll(client.failedAttempts()));
                return !tried.isEmpty();
            });
            assertThat(tried.get(0).code()).isEqualTo(ErrorCode.WRONG_CLUSTER);
            assertThat(tried.get(0).where()).isEqualTo(first.address.toString());
            assertThat(seen).isEmpty();
        }
    }

    @Test
    void aSlowWatcherMissesStatesButGetsTheLast() {
        try (RoutingClient client = client(ClusterIdentity.unknown(), first.address)) {
            await().until(() -> first.routing.watchers() == 1);
            for (int version = 1; version <= 3_000; version++) {
                first.routing.publish(routing(Loopback.CLUSTER, version, first.address));
            }
            await().until(() -> !seen.isEmpty() && last().tables().get(0).mapVersion() == 3_000);
            assertThat(seen.stream().map(r -> r.tables().get(0).mapVersion()).toList())
                    .isSorted();
            client.close();
        }
    }

    private Routing last() {
        return seen.get(seen.size() - 1);
    }
}
