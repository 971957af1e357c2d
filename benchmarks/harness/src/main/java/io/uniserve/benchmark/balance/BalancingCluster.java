package io.uniserve.benchmark.balance;

import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Cluster of processes with a client. Its coordinator moves and copies nothing until balancing is switched on, so that one cluster is
 * measured without and with it. Not thread-safe, except for its client.
 */
public final class BalancingCluster implements AutoCloseable {
    /** Loads follow a change of the workload within seconds: for short measurements. */
    public static final Map<String, String> QUICK_LOADS = Map.of("server.load-half-life", "2s");

    private static final String COORDINATOR = "coordinator-1";
    private static final long IN_FLIGHT_BYTES_MAX = 1L << 30;
    /** Part of one CPU from which on an actor may be hot. Servers with a quota of a tenth of a core do not reach the default of 10 %. */
    private static final String LOAD_MIN = "1%";

    private static final long COPIES_MILLIS_MAX = 120_000;

    private final ProcessCluster cluster;
    private final Duration deadline;
    private final UniserveClient client;
    private final List<UniserveClient> others = new ArrayList<>();

    /**
     * Starts ZooKeeper, a coordinator and servers, and connects.
     *
     * @param deadline of queries
     */
    public BalancingCluster(ProcessClusterOptions options, Duration deadline) {
        this.deadline = deadline;
        cluster = new ProcessCluster(options);
        try {
            cluster.start();
            client = connect();
        } catch (UniserveException e) {
            cluster.close();
            throw e;
        }
    }

    private UniserveClient connect() {
        return UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(new String[0]))
                .deadline(deadline)
                .connectTimeout(Duration.ofMinutes(1))
                .maxInFlightBytes(IN_FLIGHT_BYTES_MAX)
                .build();
    }

    public UniserveClient client() {
        return client;
    }

    /**
     * Connects further clients, which are closed with the cluster. Each chooses replicas by itself, as the processes of many applications
     * do: where copies may answer differently, a client always asks the same ones.
     */
    public List<UniserveClient> connect(int count) {
        List<UniserveClient> added = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            UniserveClient one = connect();
            others.add(one);
            added.add(one);
        }
        return List.copyOf(added);
    }

    /** Returns the addresses of all servers. */
    public List<String> bootstrap() {
        return cluster.bootstrap();
    }

    /** Returns the daemon with this name, e.g. {@code server-1}. */
    public DaemonProcess daemon(String name) {
        return cluster.daemon(name);
    }

    /** Returns the servers' processes, without ZooKeeper and coordinator. */
    public List<Long> serverPids() {
        return cluster.daemons().values().stream()
                .filter(daemon -> daemon.name().startsWith("server-"))
                .map(DaemonProcess::pid)
                .toList();
    }

    /**
     * Settings of a coordinator that moves replicas and makes copies of hot actors.
     *
     * @param period period of the balancer, at least 1 ms
     * @param copiesMax maximum number of replicas of an actor
     */
    public static Map<String, String> balancing(Duration period, int copiesMax) {
        return Map.of(
                "coordinator.rebalance.period",
                period.toMillis() + "ms",
                "coordinator.rebalance.copies-max",
                Integer.toString(copiesMax),
                "coordinator.rebalance.copies-load-min",
                LOAD_MIN);
    }

    /** Restarts the coordinator with balancing. Servers and data stay. Returns when it serves. */
    public void startBalancing(Duration period, int copiesMax) {
        restartCoordinator(balancing(period, copiesMax));
    }

    /** Restarts the coordinator with these settings in addition to the cluster's. Servers and data stay. Returns when it serves. */
    public void restartCoordinator(Map<String, String> settings) {
        DaemonProcess old = cluster.daemon(COORDINATOR);
        old.terminate();
        old.awaitExit();
        cluster.launchCoordinator(COORDINATOR, settings);
        cluster.await(COORDINATOR);
    }

    /** Makes replicas of an actor of a table with rf 1 on this many servers, and drops them again. */
    public void copyAndDrop(String table, int actor, int servers) {
        int most = Math.min(servers, Limits.REPLICATION_FACTOR_MAX);
        client.admin().replicateActor(table, actor, most);
        awaitReplicas(table, actor, most);
        client.admin().replicateActor(table, actor, 0);
        awaitReplicas(table, actor, 1);
    }

    private void awaitReplicas(String table, int actor, int count) {
        if (!ConditionWaiter.await(
                SystemClock.INSTANCE::nanos,
                COPIES_MILLIS_MAX,
                () -> replicas(table).get(actor) == count)) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "actor " + table + "/" + actor + " has not " + count + " replicas after " + COPIES_MILLIS_MAX
                            + " ms");
        }
    }

    /** Returns the number of in-sync replicas of each actor, in the order of actors. */
    public List<Integer> replicas(String table) {
        return client.admin().describeTable(table).map().actors().stream()
                .map(actor -> actor.isr().size())
                .toList();
    }

    @Override
    public void close() {
        others.forEach(UniserveClient::close);
        client.close();
        cluster.close();
    }
}
