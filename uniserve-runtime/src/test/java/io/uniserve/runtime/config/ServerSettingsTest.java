package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerSettingsTest {
    @TempDir
    private Path directory;

    @Test
    void theDeprecatedKeyOfEnginesWorksInFilesAndOnTheCommandLine() {
        assertThat(TestingTableConfigFiles.load(directory, "uniserve.server.ports = [solr, kv]")
                        .server()
                        .engines())
                .containsExactly("solr", "kv");
        assertThat(Settings.load(Optional.empty(), Map.of("uniserve.server.ports", "solr,kv"))
                        .server()
                        .engines())
                .containsExactly("solr", "kv");
        assertThatThrownBy(() ->
                        TestingTableConfigFiles.load(directory, "uniserve.server { ports = [kv]\nengines = [solr] }"))
                .hasMessageContaining("uniserve.server.ports is the deprecated name of uniserve.server.engines");
    }

    @Test
    void defaults() {
        assertThat(Settings.defaults().server())
                .isEqualTo(new ServerSettings(
                        "0.0.0.0",
                        7071,
                        Optional.empty(),
                        Path.of("server-data"),
                        false,
                        Optional.empty(),
                        "default",
                        List.of("kv"),
                        Path.of("ports"),
                        Map.of(),
                        Optional.empty(),
                        false,
                        new ServerSettings.Capacity(0, 0, 0),
                        Duration.ofSeconds(2),
                        0.01,
                        Duration.ofMillis(500),
                        2,
                        Duration.ofSeconds(2),
                        Duration.ofMillis(50),
                        Duration.ofSeconds(1),
                        20_000,
                        64L << 20,
                        4L << 30,
                        256L << 20,
                        Duration.ofSeconds(60),
                        new ServerSettings.Work(
                                0,
                                0,
                                16,
                                1_024,
                                256,
                                Duration.ofMillis(200),
                                256L << 20,
                                2L << 30,
                                Duration.ofHours(1),
                                true),
                        new ServerSettings.Exchange(
                                Limits.EXCHANGE_QUERY_MEMORY_BYTES,
                                Limits.EXCHANGE_SERVER_MEMORY_BYTES,
                                Limits.EXCHANGE_QUERY_SPILL_BYTES_MAX,
                                Limits.EXCHANGE_SERVER_SPILL_BYTES_MAX),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(5),
                        new ServerSettings.Trash(Duration.ofHours(24), 0, false),
                        Duration.ofHours(24),
                        Duration.ofSeconds(10),
                        Optional.empty()));
    }

    @Test
    void fullMapping() {
        String text = """
            uniserve {
              storage.location = /mnt/backup, storage.take-over = true
              server {
                host = 127.0.0.1, port = 0, advertised-host = s1.example, data-dir = /d, new-data-dir = true, id = s-1, zone = z2
                ports = [solr, kv], ports-dir = /p
                port-settings { solr { heap = 1g, cache.size = 5 } }
                capacity { cpu-cores = 2.5, memory = 4GiB, disk = 10GB }
                lease = 3s, clock-drift = 2.5%, ping = 100ms, ping-targets = 5, rpc-timeout = 200ms, tick = 250ms
                log-shipping = 1m, checkpoint-entries = 7, checkpoint-bytes = 2MiB, log-bytes-per-actor-max = 1GiB
                log-retain-bytes = 32MiB, engine-timeout = 6s
                read-threads = 3, apply-threads = 4, query-threads = 5, read-queue = 6, query-queue = 7
                catch-up-wait = 8ms, result-memory = 64MiB, session-bytes-max = 3GiB
                query-time-max = 4m, fair-reads = false
                exchange-query-memory = 1MiB, exchange-memory = 2MiB, exchange-query-files = 3MiB, exchange-files = 4MiB
                interruption-notices = ec2, drain-timeout = 9s, stop-grace = 0s, scrub-period = 2d, load-half-life = 3m
                trash-retention = 7h, trash-bytes-max = 5GiB, trash-all-unknown = true
              }
            }
            """;
        assertThat(TestingTableConfigFiles.load(directory, text).server())
                .isEqualTo(new ServerSettings(
                        "127.0.0.1",
                        0,
                        Optional.of("s1.example"),
                        Path.of("/d"),
                        true,
                        Optional.of(new ServerId("s-1")),
                        "z2",
                        List.of("solr", "kv"),
                        Path.of("/p"),
                        Map.of("solr", Map.of("heap", "1g", "cache.size", "5")),
                        Optional.of("/mnt/backup"),
                        true,
                        new ServerSettings.Capacity(2.5, 4L << 30, 10_000_000_000L),
                        Duration.ofSeconds(3),
                        0.025,
                        Duration.ofMillis(100),
                        5,
                        Duration.ofMillis(200),
                        Duration.ofMillis(250),
                        Duration.ofMinutes(1),
                        7,
                        2L << 20,
                        1L << 30,
                        32L << 20,
                        Duration.ofSeconds(6),
                        new ServerSettings.Work(
                                3, 4, 5, 6, 7, Duration.ofMillis(8), 64L << 20, 3L << 30, Duration.ofMinutes(4), false),
                        new ServerSettings.Exchange(1L << 20, 2L << 20, 3L << 20, 4L << 20),
                        Duration.ofSeconds(9),
                        Duration.ZERO,
                        new ServerSettings.Trash(Duration.ofHours(7), 5L << 30, true),
                        Duration.ofDays(2),
                        Duration.ofMinutes(3),
                        Optional.of("ec2")));
    }
}
