package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ActorState;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * SIGTERM and Ctrl-C from an operator. Draining may take ten minutes here, so a second signal that did not end the process at once would
 * hit the time-out.
 */
@Timeout(300)
class DaemonSignalsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String DRAINING = "once more to stop at once";
    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;

    private StartedCluster started;
    private ProcessCluster cluster;
    private UniserveClient client;

    @BeforeEach
    void start(@TempDir Path directory) {
        started = StartedCluster.start(
                ProcessClusterOptions.of(directory, 3, "kv").with(Map.of("server.drain-timeout", "10m")));
        cluster = started.processes();
        client = started.client();
        client.admin()
                .createTable(
                        TableSpec.named("visits").port("kv").hash(6).replicas(2).keyField("id"));
    }

    @AfterEach
    void stop() {
        started.close();
    }

    @Test
    void sigtermDrainsAndTheSecondEndsAtOnce() {
        assertThat(update("a")).isZero();
        drains("server-3", DaemonProcess::terminate);
        endsAtOnce("server-2", DaemonProcess::terminate, SIGTERM);
        assertThat(update("b")).isZero();
        cluster.startServer("server-2");
        whole(2);
    }

    @Test
    void ctrlCDrainsAndTheSecondEndsAtOnce() throws IOException {
        assumeThat(heardByChildren(SIGINT))
                .as("SIGINT is not ignored in this process, as it is in one that a script starts with &")
                .isTrue();
        drains("server-3", DaemonProcess::interrupt);
        endsAtOnce("server-2", DaemonProcess::interrupt, SIGINT);
    }

    @Test
    void coordinatorAndZooKeeperEndWithZero() {
        for (String name : List.of("coordinator-1", "zookeeper")) {
            DaemonProcess daemon = cluster.daemon(name);
            daemon.terminate();
            assertThat(daemon.awaitExit()).as(name).isEqualTo(ExitCode.OK);
        }
    }

    /** Three servers, rf 2: the third server can drain, and ends when the others have all replicas. */
    private void drains(String name, Consumer<DaemonProcess> signal) {
        DaemonProcess daemon = cluster.daemon(name);
        signal.accept(daemon);
        assertThat(daemon.awaitExit()).as("%s drains:%n%s", name, daemon.tail()).isEqualTo(ExitCode.OK);
        whole(2);
    }

    /** Two servers, rf 2: no other server can take a replica, so the drain lasts until its limit. */
    private void endsAtOnce(String name, Consumer<DaemonProcess> signal, int number) {
        DaemonProcess daemon = cluster.daemon(name);
        signal.accept(daemon);
        await().atMost(PATIENCE).until(() -> daemon.tail().contains(DRAINING));
        assertThat(daemon.isAlive()).as("%s drains:%n%s", name, daemon.tail()).isTrue();
        signal.accept(daemon);
        assertThat(daemon.awaitExit()).as("%s ends:%n%s", name, daemon.tail()).isEqualTo(ExitCode.ofSignal(number));
    }

    private int update(String id) {
        return client.table("visits")
                .updateDocuments("kv.put@1", List.of(Map.of("id", id)))
                .run()
                .failed()
                .size();
    }

    /** Waits until every actor has two in-sync replicas on this many servers. */
    private void whole(int servers) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            List<ActorState> actors = client.routing().tables().get(0).map().actors();
            assertThat(actors).allSatisfy(actor -> assertThat(actor.isr()).hasSize(2));
            assertThat(actors.stream().flatMap(actor -> actor.isr().stream()).distinct())
                    .hasSize(servers);
        });
    }

    /** True unless this process ignores the signal, which its children would inherit. */
    private static boolean heardByChildren(int signal) throws IOException {
        String ignored = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .map(line -> line.split("\\s+")[1])
                .findFirst()
                .orElse("0");
        return (Long.parseUnsignedLong(ignored, 16) >> (signal - 1) & 1) == 0;
    }
}
