package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that joins under load gets replicas automatically, and leaves again, without an effect on clients. */
class RebalanceIT {
    private static final int SERVERS = 3;
    private static final int ACTORS = 16;
    private static final int COPIES = 2;
    private static final String TABLE = "pairs";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Map<String, String> OFTEN = Map.of("coordinator.rebalance.period", "1s");

    @Test
    void aServerThatJoinsIsFilledWithoutAFailedOrWrongAnswer(@TempDir Path directory) throws Exception {
        try (StartedCluster started = StartedCluster.start(
                ProcessClusterOptions.of(directory, SERVERS, "kv").with(OFTEN))) {
            UniserveClient client = started.client();
            client.admin()
                    .createTable(TableSpec.named(TABLE).port("kv").hash(ACTORS).replicas(COPIES));
            try (CheckedLoad load = new CheckedLoad(client, TABLE)) {
                load.start(2);
                await().atMost(PATIENCE).until(() -> load.writes.get() > 200 && load.reads.get() > 200);
                started.processes().startServer("server-4");
                await("it is filled")
                        .atMost(PATIENCE)
                        .until(() -> held(started) >= ACTORS * COPIES / (SERVERS + 1) / 2);
                await("all is even").atMost(PATIENCE).until(() -> atRest(client));
                Run status = new TestingConsole(RemoteCluster::connect)
                        .run(
                                "status",
                                "-b",
                                String.join(",", started.processes().bootstrap()));
                assertThat(status.out()).contains("rebalancing: ");
                assertThat(started.log("coordinator-1"))
                        .contains("is to move from")
                        .contains("of its due");

                started.processes().daemon("server-4").terminate();
                assertThat(started.processes().daemon("server-4").awaitExit()).isZero();
                long writes = load.writes.get();
                await().atMost(PATIENCE).until(() -> load.writes.get() > writes + 200);
                load.close();
                load.verifyAll();
                assertThat(load.wrong).isEmpty();
                assertThat(load.failed).isEmpty();
                assertThat(load.refusedUpdates).isEmpty();
            }
            assertThat(actors(started))
                    .allSatisfy(actor -> assertThat(actor.isr()).hasSize(COPIES));
        }
    }

    private static List<ActorState> actors(StartedCluster started) {
        return started.client().admin().describeTable(TABLE).map().actors();
    }

    /** Replicas on the server that joined. */
    private static long held(StartedCluster started) {
        return started.client().routing().servers().stream()
                .filter(server -> server.address().equals(started.processes().address("server-4")))
                .map(server -> replicas(started, server.id()))
                .findFirst()
                .orElse(0L);
    }

    private static long replicas(StartedCluster started, ServerId id) {
        return actors(started).stream()
                .filter(actor -> actor.isr().contains(id))
                .count();
    }

    private static boolean atRest(UniserveClient client) {
        Rebalance rebalance = client.admin().status().rebalance();
        return rebalance.moves().isEmpty() && rebalance.state().equals("sees nothing to move");
    }
}
