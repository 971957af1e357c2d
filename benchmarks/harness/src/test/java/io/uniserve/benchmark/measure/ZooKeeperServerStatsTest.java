package io.uniserve.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ZooKeeperServerStatsTest {
    private static final String ANSWER = "Zookeeper version: 3.9.3-abc, built on 2024-10-17 23:21 UTC\n"
            + "Latency min/avg/max: 0/0.5/12\nReceived: 12345\nSent: 12344\nConnections: 7\nOutstanding: 0\n"
            + "Zxid: 0x3a\nMode: standalone\nNode count: 42\n";

    @Test
    void numbersAreReadByTheirNames() {
        assertThat(ZooKeeperServerStats.parse(ANSWER)).isEqualTo(new ZooKeeperServerStats(12_345, 7, 42));
    }

    @Test
    void aMissingLineIsAnError() {
        assertThatThrownBy(
                        () -> ZooKeeperServerStats.parse("This ZooKeeper instance is not currently serving requests"))
                .hasMessageContaining("Received")
                .hasMessageContaining("not currently serving");
        assertThatThrownBy(() -> ZooKeeperServerStats.parse(ANSWER.replace("Node count", "Nodes")))
                .hasMessageContaining("Node count");
    }
}
