package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.client.TableSpec;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Cluster whose servers have {@link FailPoints}, and a table with atomic updates under a recorded load. */
final class FailingBank implements AutoCloseable {
    static final String TABLE = "bank";
    static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SERVERS = 3;
    private static final int REPLICAS = 2;
    private static final int ACTORS = 4;
    private static final int WRITERS = 2;
    private static final int READERS = 2;
    private static final int ENOUGH = 20;

    private final Path orders;
    private final StartedCluster started;
    private final RecordedLoad load;

    private FailingBank(Path orders, StartedCluster started) {
        this.orders = orders;
        this.started = started;
        started.client()
                .admin()
                .createTable(TableSpec.named(TABLE)
                        .port("kv")
                        .hash(ACTORS)
                        .replicas(REPLICAS)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
        this.load = new RecordedLoad(started.client(), started.processes().bootstrap(), TABLE);
    }

    /** Starts all processes and the load. */
    static FailingBank start(Path directory) throws Exception {
        Path orders = directory.resolve("orders");
        StartedCluster started = StartedCluster.start(ProcessClusterOptions.of(directory, SERVERS, "kv")
                .with(Map.of("zookeeper.session-timeout", "2s", "server.lease", "500ms"))
                .with(FailingMain.launcher(orders)));
        FailingBank bank = null;
        try {
            bank = new FailingBank(orders, started);
            bank.load.start(WRITERS, READERS);
            bank.progress();
            return bank;
        } catch (RuntimeException | AssertionError e) {
            if (bank != null) {
                bank.load.close();
            }
            started.close();
            throw e;
        }
    }

    RecordedLoad load() {
        return load;
    }

    DaemonProcess daemon(String name) {
        return started.processes().daemon(name);
    }

    /** Continues a process that was ordered to stop, after it has stopped. */
    static void resume(DaemonProcess process) {
        await(process.name() + " has stopped")
                .atMost(PATIENCE)
                .until(() -> Files.readString(Path.of("/proc/" + process.pid() + "/stat"))
                        .matches("(?s).*\\) T .*"));
        process.resume();
    }

    /** Returns the fail points of a server, or of the process that sends a lone update. */
    FailPoints points(String process) {
        return new FailPoints(orders, process);
    }

    /** Returns the server with the actor's primary. That of actor 0 is the transaction manager. */
    String primary(int actor) {
        return started.primary(TABLE, actor);
    }

    /** Returns an actor whose primary is on another server than the transaction manager. */
    int participant() {
        return await("a server besides the driver has a primary")
                .atMost(PATIENCE)
                .until(
                        () -> {
                            String driver = primary(0);
                            return IntStream.range(1, ACTORS)
                                    .filter(actor -> !primary(actor).equals(driver))
                                    .findFirst()
                                    .orElse(0);
                        },
                        actor -> actor > 0);
    }

    /** Returns a part of the path of the actor's files on each server. */
    String files(int actor) {
        return new ReplicaKey(route().meta().tableId(), actor) + "/";
    }

    private TableRoute route() {
        return started.client().admin().describeTable(TABLE);
    }

    /** Starts a process that sends the update and prints its outcome. */
    DaemonProcess sender(String name, LoneUpdate update) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                "update-once", name, String.join(",", started.processes().bootstrap()), TABLE));
        words.addAll(update.words());
        return DaemonProcess.start(
                name,
                FailingMain.launcher(orders).commandLine("-Xmx128m", words),
                started.processes().directory().resolve("logs").resolve(name + ".log"));
    }

    void progress() {
        long acked = load.acked.get();
        long reads = load.reads.get();
        await("updates and reads go on")
                .atMost(PATIENCE)
                .until(() -> load.acked.get() > acked + ENOUGH && load.reads.get() > reads + ENOUGH);
    }

    /** Restarts a killed server. */
    void revive(String server) {
        started.processes().startServer(server);
        whole();
        progress();
    }

    void whole() {
        await("all replicas are in sync")
                .atMost(PATIENCE)
                .until(() -> route().map().actors().stream()
                        .allMatch(actor -> actor.isr().size() == REPLICAS));
    }

    /** Ends the load and checks that no operation failed and that the recorded history is valid. */
    void judge() throws InterruptedException {
        load.close();
        assertThat(load.failed).as("failed updates and reads").isEmpty();
        assertThat(load.violations()).isEmpty();
        assertThat(load.wrong).isEmpty();
    }

    @Override
    public void close() throws InterruptedException {
        try {
            load.close();
        } finally {
            started.close();
        }
    }
}
