package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.cli.process.FailPoints.Place;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.Routing.TableRoute;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes that die by SIGKILL, or stop, exactly between the phases of atomic updates, under a load whose history is
 * checked as the simulation's is.
 */
class FailPointsIT {
    private static final int SERVERS = 3;
    private static final int REPLICAS = 2;
    private static final int ACTORS = 4;
    private static final RetrieveCall<String, Long> SUM = new RetrieveCall<>("kv.sum@1", Codecs.STRING, Codecs.LONG);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    void driversAndPrimariesDieBetweenThePhases(@TempDir Path directory) throws Exception {
        Path orders = directory.resolve("orders");
        try (StartedCluster started = start(directory, orders)) {
            table(started.client(), "bank");
            RecordedLoad load = new RecordedLoad(started.client(), started.processes().bootstrap(), "bank");
            try (load) {
                load.start(2, 2);
                progress(load);
                for (Place place : Place.values()) {
                    dies(started, orders, load, place);
                }
                wakes(started, orders, load);
            }
            assertThat(load.failed).as("failed updates and reads").isEmpty();
            assertThat(load.wrong).isEmpty();
            assertThat(load.violations()).isEmpty();
            clientDies(started, orders);
        }
    }

    private static StartedCluster start(Path directory, Path orders) throws Exception {
        return StartedCluster.start(ProcessClusterOptions.of(directory, SERVERS, "kv")
                .with(Map.of("zookeeper.session-timeout", "2s", "server.lease", "500ms"))
                .with(FailingMain.launcher(orders)));
    }

    private static void table(UniserveClient client, String name) {
        client.admin()
                .createTable(TableSpec.named(name)
                        .port("kv")
                        .hash(ACTORS)
                        .replicas(REPLICAS)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
    }

    /** A server ends itself there, and the others go on; it comes back, and all are whole again. */
    private static void dies(StartedCluster started, Path orders, RecordedLoad load, Place place) throws Exception {
        boolean driver = place == Place.BEFORE_COMMIT || place == Place.AFTER_COMMIT;
        int actor = driver ? 0 : 1;
        String victim = started.primary("bank", actor);
        FailPoints points = new FailPoints(orders, victim);
        ReplicaKey replica = new ReplicaKey(route(started, "bank").meta().tableId(), actor);
        points.order(place, "KILL", driver ? "/bank/" : replica + "/");
        await(victim + " dies at " + place)
                .atMost(PATIENCE)
                .until(() -> !started.processes().daemon(victim).isAlive());
        assertThat(points.reached(place)).isTrue();
        load.nextPhase();
        started.processes().startServer(victim);
        whole(started, "bank");
        progress(load);
    }

    /** The driver stops before its decision until others have taken its update back, then wakes and sends it. */
    private static void wakes(StartedCluster started, Path orders, RecordedLoad load) throws Exception {
        String victim = started.primary("bank", 0);
        FailPoints points = new FailPoints(orders, victim);
        points.order(Place.BEFORE_COMMIT, "STOP", "/bank/");
        await(victim + " stops").atMost(PATIENCE).until(() -> points.reached(Place.BEFORE_COMMIT));
        load.nextPhase();
        progress(load);
        started.processes().daemon(victim).resume();
        whole(started, "bank");
        progress(load);
    }

    /** A client dies while its update is prepared and not decided: whoever sends it again has it once. */
    private static void clientDies(StartedCluster started, Path orders) throws Exception {
        table(started.client(), "lonely");
        String driver = started.primary("lonely", 0);
        FailPoints points = new FailPoints(orders, driver);
        points.order(Place.BEFORE_COMMIT, "STOP", "/lonely/");
        DaemonProcess writer = DaemonProcess.start(
                "writer",
                FailingMain.launcher(orders)
                        .commandLine(
                                "-Xmx128m",
                                List.of(
                                        "update-once",
                                        started.processes().bootstrap().get(0),
                                        "lonely")),
                started.processes().directory().resolve("logs").resolve("writer.log"));
        try (writer) {
            await("the update is prepared").atMost(PATIENCE).until(() -> points.reached(Place.BEFORE_COMMIT));
            writer.kill();
        }
        started.processes().daemon(driver).resume();
        FailingMain.updateOnce(started.client(), "lonely")
                .deadline(PATIENCE)
                .run()
                .orThrow();
        long sum = started.client()
                .table("lonely")
                .all()
                .deadline(PATIENCE)
                .retrieve(
                        SUM,
                        "amount",
                        parts -> parts.stream().mapToLong(Long::longValue).sum());
        assertThat(sum).as("the update is there once").isEqualTo(FailingMain.ROWS);
    }

    private static void progress(RecordedLoad load) {
        long acked = load.acked.get();
        long reads = load.reads.get();
        await("updates and reads go on")
                .atMost(PATIENCE)
                .until(() -> load.acked.get() > acked + 20 && load.reads.get() > reads + 20);
    }

    private static void whole(StartedCluster started, String table) {
        await("all replicas are in sync")
                .atMost(PATIENCE)
                .until(() -> route(started, table).map().actors().stream()
                        .allMatch(actor -> actor.isr().size() == REPLICAS));
    }

    private static TableRoute route(StartedCluster started, String table) {
        return started.client().admin().describeTable(table);
    }
}
