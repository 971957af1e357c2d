package io.uniserve.cli;

import io.uniserve.coordinator.CoordinatorDaemon;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import io.uniserve.server.ServerDaemon;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Real daemons in this process: two servers with the key-value engine, on free ports. */
public final class RunningCluster implements AutoCloseable {
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final List<String> addresses = new ArrayList<>();
    private final Map<String, String> more;
    private final String zookeeper;

    public RunningCluster(Path directory) {
        this(directory, Map.of());
    }

    /** Starts a cluster with more settings for every daemon, by full key. */
    public RunningCluster(Path directory, Map<String, String> more) {
        this.more = Map.copyOf(more);
        EmbeddedZooKeeper zk = EmbeddedZooKeeper.start(
                new InetSocketAddress("127.0.0.1", 0), directory.resolve("zookeeper"), RunningCluster::unexpected);
        started.push(zk);
        zookeeper = "127.0.0.1:" + zk.port();
        CoordinatorDaemon coordinator =
                CoordinatorDaemon.start(settings(directory.resolve("none")), RunningCluster::unexpected);
        started.push(coordinator);
        addresses.add(coordinator.address().toString());
        for (int i = 1; i <= 2; i++) {
            ServerDaemon server = ServerDaemon.start(
                    settings(directory.resolve("server-" + i)),
                    Map.of("kv", LoadedPort.of(new KvEngine())),
                    RunningCluster::unexpected);
            started.push(server);
            addresses.add(server.address().toString());
        }
    }

    private Settings settings(Path data) {
        Map<String, String> values = new HashMap<>();
        values.put("uniserve.cluster", "cli");
        values.put("uniserve.zookeeper.connect", zookeeper);
        values.put("uniserve.coordinator.host", "127.0.0.1");
        values.put("uniserve.coordinator.port", "0");
        values.put("uniserve.server.host", "127.0.0.1");
        values.put("uniserve.server.port", "0");
        values.put("uniserve.server.stop-grace", "0s");
        values.put("uniserve.server.data-dir", data.toString());
        values.put("uniserve.server.new-data-dir", "true");
        values.putAll(more);
        return Settings.load(Optional.empty(), values);
    }

    private static void unexpected(Object why) {
        throw new AssertionError("a daemon cannot go on: " + why);
    }

    /** Addresses for {@code --bootstrap}: the coordinator, then the servers. */
    public String bootstrap() {
        return String.join(",", addresses);
    }

    /** Address for {@code --zookeeper}. */
    public String zookeeper() {
        return zookeeper;
    }

    @Override
    public void close() throws Exception {
        while (!started.isEmpty()) {
            started.pop().close();
        }
    }
}
