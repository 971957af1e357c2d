package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ZooKeeperSettingsTest {
    @Test
    void defaults() {
        ZooKeeperSettings settings = Settings.defaults().zookeeper();
        assertThat(settings)
                .isEqualTo(new ZooKeeperSettings(
                        "uniserve",
                        "localhost:2181",
                        Duration.ofSeconds(6),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(60),
                        new ZooKeeperSettings.Embedded(
                                "0.0.0.0", 2181, Path.of("data/zookeeper"), Duration.ofMillis(500))));
        assertThat(settings.root()).isEqualTo("/uniserve/uniserve");
    }

    @Test
    void fullMapping(@TempDir Path directory) {
        String text = """
                uniserve {
                  cluster = search
                  zookeeper {
                    connect = "a:1,b:2", session-timeout = 10s, connect-timeout = 1s, start-timeout = 2s
                    embedded { host = localhost, port = 0, data-dir = /zk, tick = 1s }
                  }
                }
                """;
        assertThat(TestingTableConfigFiles.load(directory, text).zookeeper())
                .isEqualTo(new ZooKeeperSettings(
                        "search",
                        "a:1,b:2",
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        new ZooKeeperSettings.Embedded("localhost", 0, Path.of("/zk"), Duration.ofSeconds(1))));
    }
}
