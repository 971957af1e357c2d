package io.uniserve.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.provider.InterruptionNotifier.Notice;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real servers over real sockets, files and ZooKeeper. */
class ServerDaemonTest {
    @TempDir
    Path directory;

    private TestCluster cluster;

    @BeforeEach
    void open() {
        cluster = new TestCluster(directory);
    }

    @AfterEach
    void close() {
        cluster.close();
        assertThat(cluster.fatal.get()).isNull();
    }

    @Test
    void storesAndAnswersAcrossServers() {
        for (String name : new String[] {"a", "b", "c"}) {
            cluster.server(name);
        }
        cluster.createTable(8, 2, 3);
        cluster.put(0, 500);
        for (ServerDaemon server : cluster.servers.values()) {
            assertThat(cluster.query(server.address(), "count").body().utf8()).isEqualTo("{\"count\":500}");
        }
        assertThat(cluster.query("sum n").body().utf8()).isEqualTo("{\"sum\":124750}");
        assertThat(cluster.query("get k17").body().utf8()).contains("\"n\":17");
        assertThat(cluster.query("count").effort().requests()).isBetween(1, 6);
        assertThatThrownBy(() -> cluster.query("frobnicate"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    @Test
    void keepsEverythingOverARestartOfAllServers() {
        cluster.server("a");
        cluster.server("b");
        cluster.createTable(4, 2, 2);
        cluster.put(0, 200);
        cluster.stop("a");
        cluster.stop("b");
        cluster.server("a");
        cluster.server("b");
        await().atMost(40, TimeUnit.SECONDS)
                .ignoreExceptionsInstanceOf(UniserveException.class)
                .untilAsserted(() -> assertThat(cluster.query(cluster.address("a"), "count")
                                .body()
                                .utf8())
                        .isEqualTo("{\"count\":200}"));
        cluster.put(200, 300);
        assertThat(cluster.query("count").body().utf8()).isEqualTo("{\"count\":300}");
    }

    @Test
    void movesEverythingAwayWhenItDrains() {
        ServerDaemon first = cluster.server("a");
        cluster.server("b");
        cluster.server("c");
        cluster.createTable(6, 2, 3);
        cluster.put(0, 100);
        first.drainAndClose();
        cluster.servers.remove("a");
        await().atMost(20, TimeUnit.SECONDS).until(() -> cluster.liveServers() == 2);
        for (ActorState actor : cluster.table().map().actors()) {
            assertThat(actor.primary()).isNotEqualTo(first.id());
        }
        assertThat(cluster.query("count").body().utf8()).isEqualTo("{\"count\":100}");
    }

    @Test
    void handsOverWhenItsMachineIsToBeTakenAwayAndServesUntilItStops() {
        ServerDaemon first = cluster.start(cluster.settings(
                "a", Map.of("uniserve.server.interruption-notices", TestingInterruptionNotifier.NAME)));
        cluster.servers.put("a", first);
        cluster.server("b");
        cluster.server("c");
        cluster.createTable(6, 2, 3);
        cluster.put(0, 100);
        assertThat(cluster.table().map().actors())
                .anyMatch(actor -> actor.primary().equals(first.id()));
        assertThat(first.scrape()).contains("uniserve_server_interruption_notices 0.0");
        TestingInterruptionNotifier.set(Optional.of(new Notice("terminate", Instant.parse("2026-11-29T08:22:00Z"))));
        try {
            await().atMost(60, TimeUnit.SECONDS)
                    .until(() ->
                            cluster.table().map().actors().stream().noneMatch(actor -> actor.hasReplicaOn(first.id())));
        } finally {
            TestingInterruptionNotifier.set(Optional.empty());
        }
        assertThat(cluster.table().map().actors())
                .allSatisfy(actor -> assertThat(actor.isr()).hasSize(2));
        assertThat(first.scrape())
                .contains("uniserve_server_interruption_notices 1.0", "uniserve_server_interruption_failures 0.0");
        cluster.put(100, 150);
        for (ServerDaemon server : cluster.servers.values()) {
            assertThat(cluster.query(server.address(), "count").body().utf8()).isEqualTo("{\"count\":150}");
        }
    }

    @Test
    void refusesAnUnknownSourceOfNotices() {
        Settings unknown = cluster.settings("a", Map.of("uniserve.server.interruption-notices", "gce"));
        assertThatThrownBy(() -> cluster.start(unknown))
                .hasMessageContaining("uniserve.server.interruption-notices: \"gce\" is not in");
    }

    @Test
    void exportsStatesAsMetrics() {
        ServerDaemon first = cluster.server("a");
        ServerDaemon second = cluster.server("b");
        cluster.createTable(4, 2, 2);
        await().untilAsserted(() -> assertThat(first.scrape() + second.scrape())
                .contains(
                        "uniserve_server_replicas{state=\"primary\"} 2.0",
                        "uniserve_server_replicas{state=\"primary-starting\"} 0.0",
                        "uniserve_server_replicas{state=\"follower\"} 2.0",
                        "uniserve_server_replicas{state=\"damaged\"} 0.0",
                        "uniserve_server_transactions{state=\"preparing\"} 0.0",
                        "uniserve_server_transactions{state=\"committing\"} 0.0",
                        "uniserve_server_log_shipping{state=\"idle\"} 2.0",
                        "uniserve_server_log_shipping{state=\"failing\"} 0.0"));
    }

    @Test
    void refusesWhatItCannotStartWith() {
        ServerDaemon running = cluster.server("a");
        assertThatThrownBy(() -> cluster.start(cluster.settings("a", Map.of())))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                .hasMessageContaining("in use");
        Settings taken = cluster.settings(
                "b",
                Map.of("uniserve.server.port", String.valueOf(running.address().port())));
        assertThatThrownBy(() -> cluster.start(taken)).hasMessageContaining("cannot listen on");
        Settings other = cluster.settings("b", Map.of("uniserve.cluster", "another"));
        assertThatThrownBy(() -> cluster.start(other)).hasMessageContaining("WRONG_CLUSTER");
        Settings lonely = cluster.settings(
                "d", Map.of("uniserve.zookeeper.connect", "127.0.0.1:1", "uniserve.zookeeper.start-timeout", "1s"));
        assertThatThrownBy(() -> cluster.start(lonely))
                .hasMessageContaining("UNAVAILABLE")
                .hasMessageContaining("zookeeper.connect");
        Settings noPort = cluster.settings("e", Map.of("uniserve.server.ports-dir", directory.toString()));
        assertThatThrownBy(() -> ServerDaemon.start(noPort, error -> {}))
                .hasMessageContaining("UNKNOWN_PORT")
                .hasMessageContaining("kv");
    }
}
