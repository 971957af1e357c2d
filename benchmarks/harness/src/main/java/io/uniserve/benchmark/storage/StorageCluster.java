package io.uniserve.benchmark.storage;

import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Cluster of processes with durable storage below a prefix of a store, and a client. Not thread-safe, except for its client. */
final class StorageCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration DEADLINE = Duration.ofMinutes(10);
    /** Part of an actor's bytes after which a checkpoint is made. */
    private static final int CHECKPOINTS_PER_ACTOR = 4;

    private static final long CHECKPOINT_MIB_MAX = 64;

    private final ProcessCluster processes;
    private final int servers;
    private final LongSupplier nanos;
    private final UniserveClient client;

    /**
     * Starts all processes and waits until the coordinator and the client see every server.
     *
     * @param takesOver true if the store has another owner, which is lost
     */
    StorageCluster(
            Path directory,
            StorageBenchSettings settings,
            int servers,
            String location,
            boolean takesOver,
            LongSupplier nanos) {
        this.servers = servers;
        this.nanos = nanos;
        processes = new ProcessCluster(options(directory, settings, servers, location, takesOver));
        try {
            processes.start();
            client = UniserveClient.builder()
                    .bootstrap(processes.bootstrap().toArray(String[]::new))
                    .deadline(DEADLINE)
                    .connectTimeout(DEADLINE)
                    .build();
        } catch (UniserveException e) {
            processes.close();
            throw e;
        }
        try {
            await(
                    "the coordinator and the client see " + servers + " servers",
                    () -> client.admin().status().routing().servers().size() == servers
                            && client.routing().servers().size() == servers);
        } catch (UniserveException e) {
            close();
            throw e;
        }
    }

    private static ProcessClusterOptions options(
            Path directory, StorageBenchSettings settings, int servers, String location, boolean takesOver) {
        long checkpointMib = Math.min(
                CHECKPOINT_MIB_MAX, Math.max(1, settings.mebibytes() / settings.bulkActors() / CHECKPOINTS_PER_ACTOR));
        Map<String, String> configuration = new LinkedHashMap<>();
        configuration.put("storage.location", location);
        configuration.put("server.checkpoint-bytes", checkpointMib + "MiB");
        if (takesOver) {
            configuration.put("storage.take-over", "true");
        }
        ProcessClusterOptions options = ProcessClusterOptions.of(directory, servers, "kv")
                .withHeap(settings.heap())
                .with(configuration);
        ProcessClusterOptions withKeys = options.with(options.java()
                .with("-Daws.accessKeyId=" + VersityProcess.ACCESS_KEY)
                .with("-Daws.secretAccessKey=" + VersityProcess.SECRET_KEY));
        return settings.brief() ? withKeys.withFastStart() : withKeys;
    }

    UniserveClient client() {
        return client;
    }

    int servers() {
        return servers;
    }

    /** Waits until every actor of the table has as many replicas in sync. */
    void awaitReplicas(String table, int replicas) {
        await(
                "every actor of " + table + " has " + replicas + " replicas in sync",
                () -> client.admin().describeTable(table).map().actors().stream()
                        .allMatch(actor -> actor.epochStarted() && actor.isr().size() >= replicas));
    }

    /** Waits until durable storage has all log entries of the table. */
    void awaitShipped(String table) {
        TableRoute route = client.admin().describeTable(table);
        await(
                "durable storage has all of " + table,
                () -> client.admin().status().loads().stream()
                                .flatMap(load -> load.replicas().stream())
                                .filter(replica ->
                                        replica.key().tableId() == route.meta().tableId())
                                .filter(StorageCluster::isShipped)
                                .map(ReplicaLoad::key)
                                .distinct()
                                .count()
                        == route.map().actors().size());
    }

    private static boolean isShipped(ReplicaLoad replica) {
        return replica.backupIndex() >= 0 && replica.backupIndex() >= replica.lastIndex();
    }

    /** Waits for a condition. Fails with DEADLINE_EXCEEDED, which names the condition, after ten minutes. */
    void await(String what, BooleanSupplier condition) {
        if (!ConditionWaiter.await(nanos, PATIENCE.toMillis(), condition)) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "not within " + PATIENCE.toMinutes() + " minutes: " + what + "; last lines of the daemons' logs:\n"
                            + processes.daemons().values().stream()
                                    .map(daemon -> daemon.name() + ":\n" + daemon.tail())
                                    .collect(Collectors.joining("\n")));
        }
    }

    /** Kills every process with SIGKILL, without waiting in between. */
    void killAll() {
        processes.daemons().values().forEach(DaemonProcess::killWithoutWait);
        processes.daemons().values().forEach(DaemonProcess::awaitExit);
    }

    @Override
    public void close() {
        processes.close();
        client.close();
    }
}
