package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.model.Address;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoordinatorSettingsTest {
    @Test
    void defaults() {
        CoordinatorSettings settings = Settings.defaults().coordinator();
        assertThat(settings)
                .isEqualTo(new CoordinatorSettings(
                        "0.0.0.0",
                        7070,
                        Optional.empty(),
                        Duration.ofSeconds(4),
                        Duration.ofMillis(500),
                        Duration.ofMillis(500),
                        Duration.ofSeconds(1),
                        3,
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(2),
                        8,
                        new RebalanceSettings(
                                Duration.ofSeconds(30),
                                8,
                                2,
                                0.2,
                                "greedy",
                                ReplicationSettings.defaults(),
                                "easy",
                                Duration.ofSeconds(10)),
                        settings.scaling(),
                        Duration.ofSeconds(2)));
        CoordinatorConfig machine = CoordinatorConfig.defaults("c", new Address("h", 1), "cluster");
        assertThat(settings.toConfig("c", new Address("h", 1), "cluster")).isEqualTo(machine);
    }

    @Test
    void rebalancingOutOfRange(@TempDir Path directory) {
        for (String wrong : List.of(
                "period = 25h",
                "period = -1s",
                "period = 30",
                "moves = 0",
                "moves-per-server = 1025",
                "tolerance = 0%",
                "tolerance = 101%",
                "policy = \"\"",
                "copies-max = 17",
                "copies-max = -1",
                "copies-grow-above = 2",
                "copies-shrink-below = 0%",
                "copies-shrink-below = 100%",
                "copies-load-min = 0%",
                "copies-bytes-max = 0B",
                "copies-horizon = 0s",
                "copies-cool-down = 25h",
                "copies-transfer-cpu = 1001%",
                "copies-cost = 2h",
                "copies-update-cost = -1ms")) {
            assertThatThrownBy(() -> TestingTableConfigFiles.load(
                                    directory, "uniserve.coordinator.rebalance { " + wrong + " }")
                            .coordinator())
                    .as(wrong)
                    .hasMessageContaining("uniserve.coordinator.rebalance." + wrong.substring(0, wrong.indexOf(' ')));
        }
    }

    @Test
    void fullMapping(@TempDir Path directory) {
        String text = """
            uniserve.coordinator {
              host = "::1", port = 7, advertised-host = c.example, session-timeout = 17s
              tick = 1s, ping = 2s, ping-timeout = 3s, failed-pings = 4, suspicion = 5s, start-grace = 6s
              restore-delay = 7s, loss-grace = 8s, create-timeout = 9s, rpc-timeout = 10s, learners-per-server = 11
              stop-grace = 12s
              rebalance { period = 13s, moves = 14, moves-per-server = 15, tolerance = 16%, policy = hottest-first,
                copies-max = 5, copies-grow-above = 170%, copies-shrink-below = 18%, copies-load-min = 19%,
                copies-bytes-max = 20B, copies-horizon = 21s, copies-cool-down = 22s,
                copies-transfer-cpu = 23%, copies-cost = 24s, copies-update-cost = 25ms }
              placement { chunks = spread, loads-period = 26s }
            }
            """;
        assertThat(TestingTableConfigFiles.load(directory, text).coordinator())
                .isEqualTo(new CoordinatorSettings(
                        "::1",
                        7,
                        Optional.of("c.example"),
                        Duration.ofSeconds(17),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(3),
                        4,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(6),
                        Duration.ofSeconds(7),
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(9),
                        Duration.ofSeconds(10),
                        11,
                        new RebalanceSettings(
                                Duration.ofSeconds(13),
                                14,
                                15,
                                0.16,
                                "hottest-first",
                                new ReplicationSettings(
                                        new ReplicationLimits(
                                                5,
                                                1.7,
                                                0.18,
                                                190,
                                                20,
                                                21,
                                                new ReplicationLimits.CopyCost(230, 24_000, 25)),
                                        Duration.ofSeconds(22)),
                                "spread",
                                Duration.ofSeconds(26)),
                        Settings.defaults().coordinator().scaling(),
                        Duration.ofSeconds(12)));
    }
}
