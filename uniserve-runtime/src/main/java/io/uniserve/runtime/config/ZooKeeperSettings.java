package io.uniserve.runtime.config;

import java.nio.file.Path;
import java.time.Duration;

/**
 * Settings of the ZooKeeper client and of the embedded ZooKeeper.
 *
 * @param cluster name of the cluster, part of its root in ZooKeeper
 * @param connect HOST:PORT of the ensemble's servers, separated by commas
 * @param startTimeout time for a starting process to reach ZooKeeper
 */
public record ZooKeeperSettings(
        String cluster,
        String connect,
        Duration sessionTimeout,
        Duration connectTimeout,
        Duration startTimeout,
        Embedded embedded) {
    private static final String NAME = "[A-Za-z0-9_-]{1,64}";

    /** Settings of the embedded ZooKeeper. */
    public record Embedded(String host, int port, Path dataDirectory, Duration tick) {}

    /** Root of the cluster's nodes. */
    public String root() {
        return "/uniserve/" + cluster;
    }

    static ZooKeeperSettings of(ConfigSection root) {
        String cluster = root.textNotEmpty("cluster");
        if (!cluster.matches(NAME)) {
            throw root.invalidValue("cluster", "1 to 64 letters, digits, _ or -", null);
        }
        ConfigSection zk = root.section("zookeeper");
        ConfigSection embedded = zk.section("embedded");
        return new ZooKeeperSettings(
                cluster,
                zk.textNotEmpty("connect"),
                zk.duration("session-timeout", Duration.ofSeconds(1), Duration.ofMinutes(5)),
                zk.duration("connect-timeout", Duration.ofMillis(100), Duration.ofMinutes(1)),
                zk.duration("start-timeout", Duration.ofSeconds(1), Duration.ofHours(1)),
                new Embedded(
                        embedded.textNotEmpty("host"),
                        embedded.port("port"),
                        embedded.file("data-dir"),
                        embedded.duration("tick", Duration.ofMillis(100), Duration.ofSeconds(10))));
    }
}
