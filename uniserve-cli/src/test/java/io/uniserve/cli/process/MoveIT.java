package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Moves of replicas, and changes of their number, by commands on a cluster of processes, while the tables are read and written; one server
 * dies meanwhile.
 */
class MoveIT {
    private static final int SERVERS = 3;
    private static final int ACTORS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @Test
    void primariesMoveUnderLoadWithoutAFailedOrWrongAnswer(@TempDir Path directory) throws Exception {
        try (StartedCluster started = StartedCluster.start(ProcessClusterOptions.of(directory, SERVERS, "kv"))) {
            UniserveClient client = started.client();
            client.admin()
                    .createTable(
                            TableSpec.named("single").port("kv").hash(ACTORS).replicas(1));
            client.admin()
                    .createTable(
                            TableSpec.named("pairs").port("kv").hash(ACTORS).replicas(2));
            try (CheckedLoad single = new CheckedLoad(client, "single");
                    CheckedLoad pairs = new CheckedLoad(client, "pairs")) {
                single.start(2);
                pairs.start(2);
                for (CheckedLoad load : List.of(single, pairs)) {
                    await().atMost(PATIENCE).until(() -> load.writes.get() > 300 && load.reads.get() > 300);
                }
                for (int actor = 0; actor < ACTORS; actor++) {
                    moves(started, "single", actor);
                    moves(started, "pairs", actor);
                }
                isEmptied(started);
                isReplicated(started, "single");
                theTargetDies(started, "pairs");
                isBackToOneCopy(started, "single");
                long writes = single.writes.get() + pairs.writes.get();
                await().atMost(PATIENCE).until(() -> single.writes.get() + pairs.writes.get() > writes + 300);
                single.close();
                pairs.close();
                for (CheckedLoad load : List.of(single, pairs)) {
                    load.verifyAll();
                    assertThat(load.wrong).isEmpty();
                    assertThat(load.failed).isEmpty();
                    assertThat(load.refusedUpdates).isEmpty();
                }
            }
        }
    }

    private static Run run(StartedCluster started, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-b", String.join(",", started.processes().bootstrap())));
        return new TestingConsole(RemoteCluster::connect).run(all.toArray(String[]::new));
    }

    private static Run move(StartedCluster started, String table, int actor, ServerId from, ServerId to) {
        return run(started, "move", table, "" + actor, "--from", from.value(), "--to", to.value());
    }

    private static ActorState state(StartedCluster started, String table, int actor) {
        return map(started, table).actors().get(actor);
    }

    private static TableMap map(StartedCluster started, String table) {
        return started.client().admin().describeTable(table).map();
    }

    private static ServerRecord free(StartedCluster started, ActorState state) {
        return started.client().routing().servers().stream()
                .filter(server -> !state.hasReplicaOn(server.id()))
                .findFirst()
                .orElseThrow();
    }

    /** Moves the primary to the server without a replica of the actor. It must leave nothing behind. */
    private static void moves(StartedCluster started, String table, int actor) {
        ActorState before = state(started, table, actor);
        ServerId to = free(started, before).id();
        Run run = move(started, table, actor, before.primary(), to);
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        ActorState after = state(started, table, actor);
        assertThat(after.isr()).contains(to).doesNotContain(before.primary()).hasSameSizeAs(before.isr());
        String files = "/t" + map(started, table).tableId() + "-a" + actor + "/";
        await("its files are destroyed")
                .atMost(PATIENCE)
                .until(() ->
                        started.files(started.daemon(before.primary()), files).isEmpty());
        assertThat(started.files(started.daemon(to), files)).isNotEmpty();
    }

    /** Drains a server under load; it takes part again afterwards. */
    private static void isEmptied(StartedCluster started) {
        ServerId server = state(started, "pairs", 0).primary();
        Run run = run(started, "drain", server.value());
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        for (String table : List.of("single", "pairs")) {
            assertThat(map(started, table).actors()).noneMatch(actor -> actor.hasReplicaOn(server));
        }
        assertThat(map(started, "pairs").actors())
                .allSatisfy(actor -> assertThat(actor.isr()).hasSize(2));
        assertThat(run(started, "drain", server.value(), "--undo").exit()).isEqualTo(ExitCode.OK);
    }

    /** Gives every server a replica, which queries use. */
    private static void isReplicated(StartedCluster started, String table) {
        Run run = run(started, "replicate", table, "0", "1", "--copies", "" + SERVERS);
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(map(started, table).actors())
                .allSatisfy(actor -> assertThat(actor.isr()).hasSize(SERVERS));
        Run more = run(started, "replicate", table, "0", "--copies", "" + (SERVERS + 1));
        assertThat(more.err()).contains("copies is 4 but only 3 live servers");
        assertThat(more.exit()).isEqualTo(ExitCode.REFUSED);
    }

    /** After the restart of a killed server each actor has only its primary, and the other servers have none of its files. */
    private static void isBackToOneCopy(StartedCluster started, String table) {
        Run run = run(started, "replicate", table, "0", "1", "--copies", "0");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(map(started, table).actors())
                .allSatisfy(actor -> assertThat(actor.isr()).containsExactly(actor.primary()));
    }

    private static void theTargetDies(StartedCluster started, String table) {
        ActorState before = state(started, table, 0);
        ServerId to = free(started, before).id();
        String target = started.daemon(to);
        CompletableFuture<Run> moving =
                CompletableFuture.supplyAsync(() -> move(started, table, 0, before.primary(), to));
        await("the move has begun")
                .atMost(PATIENCE)
                .until(() -> state(started, table, 0).desiredServers().contains(to));
        started.processes().daemon(target).kill();
        moving.join();
        await("two copies, none on the dead server").atMost(PATIENCE).until(() -> {
            List<ServerId> isr = state(started, table, 0).isr();
            return isr.size() == 2 && !isr.contains(to);
        });
        started.processes().startServer(target);
    }
}
