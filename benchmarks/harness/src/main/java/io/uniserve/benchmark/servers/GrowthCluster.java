package io.uniserve.benchmark.servers;

import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Cluster with one process per server and a client. Nothing moves by itself. Not thread-safe, except for its client. */
final class GrowthCluster implements AutoCloseable {
    static final String VICTIM = "server-1";
    private static final String COORDINATOR = "coordinator-1";
    private static final String ZOOKEEPER = "zookeeper";
    /** Servers that start at the same time: more would take the CPU from the heartbeats of the others. */
    private static final int STARTS_MAX = 4;

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration DEADLINE = Duration.ofMinutes(1);

    private final ProcessCluster processes;
    private final int servers;
    private final LongSupplier nanos;
    private final UniserveClient client;

    /** Starts all processes and waits until the coordinator and the client see every server. */
    GrowthCluster(Path directory, int servers, String heap, LongSupplier nanos) {
        this.servers = servers;
        this.nanos = nanos;
        processes = new ProcessCluster(ProcessClusterOptions.of(directory, servers, "kv")
                .withHeap(heap)
                .withFastStart());
        try {
            processes.startZooKeeper();
            processes.startCoordinator(COORDINATOR);
            for (int from = 1; from <= servers; from += STARTS_MAX) {
                int to = Math.min(servers, from + STARTS_MAX - 1);
                for (int i = from; i <= to; i++) {
                    processes.launchServer("server-" + i);
                }
                for (int i = from; i <= to; i++) {
                    processes.await("server-" + i);
                }
            }
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
            awaitServers();
        } catch (UniserveException e) {
            close();
            throw e;
        }
    }

    UniserveClient client() {
        return client;
    }

    Address zooKeeper() {
        return processes.address(ZOOKEEPER);
    }

    List<Long> serverPids() {
        return processes.daemons().values().stream()
                .filter(daemon -> daemon.name().startsWith("server-"))
                .map(DaemonProcess::pid)
                .toList();
    }

    CpuMeter serversCpu() {
        return new CpuMeter(serverPids(), false);
    }

    CpuMeter coordinatorCpu() {
        return new CpuMeter(List.of(processes.daemon(COORDINATOR).pid()), false);
    }

    CpuMeter zooKeeperCpu() {
        return new CpuMeter(List.of(processes.daemon(ZOOKEEPER).pid()), false);
    }

    private void awaitServers() {
        await(
                "the coordinator and the client see " + servers + " servers",
                () -> client.admin().status().routing().servers().size() == servers
                        && client.routing().servers().size() == servers);
    }

    /** Waits until every actor has as many replicas in sync as given, and none on the server without. */
    void awaitReplicas(String table, int replicas, Predicate<ServerId> without) {
        await(
                "every actor of " + table + " has " + replicas + " replicas in sync",
                () -> client.admin().describeTable(table).map().actors().stream()
                        .allMatch(actor -> isWhole(actor, replicas, without)));
    }

    private static boolean isWhole(ActorState actor, int replicas, Predicate<ServerId> without) {
        return actor.epochStarted()
                && actor.isr().size() >= replicas
                && actor.isr().stream().noneMatch(without);
    }

    /** Sends SIGKILL to a server. Returns its id. */
    ServerId kill() {
        Address address = processes.address(VICTIM);
        ServerId id = client.routing().servers().stream()
                .filter(server -> server.address().equals(address))
                .map(ServerRecord::id)
                .findFirst()
                .orElseThrow(() -> new UniserveException(ErrorCode.UNAVAILABLE, VICTIM + " is not in the map"));
        processes.daemon(VICTIM).killWithoutWait();
        return id;
    }

    /** Starts the killed server again and waits until all see it. */
    void restart() {
        processes.daemon(VICTIM).awaitExit();
        processes.startServer(VICTIM);
        awaitServers();
    }

    /** Waits for a condition. Fails with DEADLINE_EXCEEDED, which names the condition, after five minutes. */
    private void await(String what, BooleanSupplier condition) {
        if (!ConditionWaiter.await(nanos, PATIENCE.toMillis(), condition)) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "not within " + PATIENCE.toMinutes() + " minutes: " + what + "; last lines of the daemons' logs:\n"
                            + processes.daemons().values().stream()
                                    .map(daemon -> daemon.name() + ":\n" + daemon.tail())
                                    .collect(Collectors.joining("\n")));
        }
    }

    @Override
    public void close() {
        client.close();
        processes.close();
    }
}
