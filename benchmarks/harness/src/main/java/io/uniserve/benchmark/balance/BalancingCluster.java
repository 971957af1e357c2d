package io.uniserve.benchmark.balance;

import io.uniserve.client.UniserveClient;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.time.Duration;
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

    private final ProcessCluster cluster;
    private final UniserveClient client;

    /**
     * Starts ZooKeeper, a coordinator and servers, and connects.
     *
     * @param deadline of queries
     */
    public BalancingCluster(ProcessClusterOptions options, Duration deadline) {
        cluster = new ProcessCluster(options);
        try {
            cluster.start();
            client = UniserveClient.builder()
                    .bootstrap(cluster.bootstrap().toArray(new String[0]))
                    .deadline(deadline)
                    .connectTimeout(Duration.ofMinutes(1))
                    .maxInFlightBytes(IN_FLIGHT_BYTES_MAX)
                    .build();
        } catch (UniserveException e) {
            cluster.close();
            throw e;
        }
    }

    public UniserveClient client() {
        return client;
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

    /** Returns the number of in-sync replicas of each actor, in the order of actors. */
    public List<Integer> replicas(String table) {
        return client.admin().describeTable(table).map().actors().stream()
                .map(actor -> actor.isr().size())
                .toList();
    }

    @Override
    public void close() {
        client.close();
        cluster.close();
    }
}
