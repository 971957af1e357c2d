package io.uniserve.benchmark.ycsb;

import io.uniserve.client.UniserveClient;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Uniserve as a cluster of processes with one port. Not thread-safe, except for its client. */
final class UniserveYcsbCluster implements AutoCloseable {
    private static final String BINDING = "io.uniserve.benchmark.ycsb.binding.UniserveYcsbClient";
    private static final String COORDINATOR = "coordinator-1";
    /** Loads follow a change of the workload within seconds: for short measurements. */
    private static final Map<String, String> QUICK_LOADS = Map.of("server.load-half-life", "2s");

    private static final long IN_FLIGHT_BYTES_MAX = 1L << 30;

    private final YcsbPort port;
    private final ProcessCluster cluster;
    private final UniserveClient client;

    /** Starts ZooKeeper, a coordinator that moves nothing, and servers; connects. */
    UniserveYcsbCluster(YcsbPort port, Path directory, int servers, String heap) {
        this.port = port;
        cluster = new ProcessCluster(ProcessClusterOptions.of(directory, servers, port.port())
                .withHeap(heap)
                .with(QUICK_LOADS));
        try {
            cluster.start();
            client = UniserveClient.builder()
                    .bootstrap(cluster.bootstrap().toArray(new String[0]))
                    .deadline(Duration.ofMinutes(5))
                    .maxInFlightBytes(IN_FLIGHT_BYTES_MAX)
                    .build();
        } catch (UniserveException e) {
            cluster.close();
            throw e;
        }
    }

    UniserveClient client() {
        return client;
    }

    List<Long> serverPids() {
        return cluster.daemons().values().stream()
                .filter(daemon -> daemon.name().startsWith("server-"))
                .map(DaemonProcess::pid)
                .toList();
    }

    /** @param table properties of the binding about a table that it creates */
    YcsbSide side(Map<String, String> table) {
        Map<String, String> properties = new TreeMap<>(table);
        properties.put("uniserve.bootstrap", String.join(",", cluster.bootstrap()));
        properties.put("uniserve.engine", port.port());
        return new YcsbSide("uniserve", BINDING, properties, serverPids());
    }

    /**
     * Restarts the coordinator with automatic copies of hot actors on all servers, which it decides on every two seconds. By default an actor
     * is hot from a tenth of a CPU in its engine on, which look-ups of single rows do not reach.
     */
    void balance(int servers) {
        cluster.daemon(COORDINATOR).kill();
        cluster.launchCoordinator(
                COORDINATOR,
                Map.of(
                        "coordinator.rebalance.period",
                        "2s",
                        "coordinator.rebalance.copies-max",
                        Integer.toString(servers),
                        "coordinator.rebalance.copies-load-min",
                        "1%"));
        cluster.await(COORDINATOR);
    }

    /** Returns the number of replicas of each actor that are in sync. */
    List<Integer> replicas(String table) {
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
