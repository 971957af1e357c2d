package io.uniserve.benchmark.ycsb;

import io.uniserve.benchmark.balance.BalancingCluster;
import io.uniserve.client.UniserveClient;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Uniserve as a cluster of processes with one port. Not thread-safe, except for its client. */
final class UniserveYcsbCluster implements AutoCloseable {
    private static final String BINDING = "io.uniserve.benchmark.ycsb.binding.UniserveYcsbClient";
    private static final Duration DEADLINE = Duration.ofMinutes(5);
    private static final Duration PERIOD = Duration.ofSeconds(2);

    private final YcsbPort port;
    private final BalancingCluster cluster;

    /** Starts ZooKeeper, a coordinator that moves nothing, and servers; connects. */
    UniserveYcsbCluster(YcsbPort port, Path directory, int servers, String heap) {
        this.port = port;
        cluster = new BalancingCluster(
                ProcessClusterOptions.of(directory, servers, port.port())
                        .withHeap(heap)
                        .with(BalancingCluster.QUICK_LOADS),
                DEADLINE);
    }

    UniserveClient client() {
        return cluster.client();
    }

    List<Long> serverPids() {
        return cluster.serverPids();
    }

    /** @param table properties of the binding about a table that it creates */
    YcsbSide side(Map<String, String> table) {
        Map<String, String> properties = new TreeMap<>(table);
        properties.put("uniserve.bootstrap", String.join(",", cluster.bootstrap()));
        properties.put("uniserve.engine", port.port());
        return new YcsbSide("uniserve", BINDING, properties, serverPids());
    }

    /** Restarts the coordinator with automatic copies of hot actors on all servers, which it decides on every two seconds. */
    void balance(int servers) {
        cluster.startBalancing(PERIOD, servers);
    }

    /** Returns the number of replicas of each actor that are in sync. */
    List<Integer> replicas(String table) {
        return cluster.replicas(table);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
