package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.port.mongodb.server.MongoConnection;
import io.uniserve.port.mongodb.server.MongoJavaServer;
import io.uniserve.testkit.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The MongoDB server's disk runs full under updates: these fail without blame of their rows, queries are complete or fail, and after a
 * restart with room every acknowledged document is there. The server is mongo-java-server with its H2 backend on a small tmpfs. H2 closes its
 * file when a write fails, and acknowledges before it writes, so the server restarts empty.
 */
class MongoDiskFullTest {
    private static final int MEGABYTES = 6;
    private static final int UPDATES_MAX = 2_000;
    private static final Duration WAIT = Duration.ofMinutes(1);

    /** Errors for which a user would change the rows or the query. */
    private static final Set<ErrorCode> BLAME = Set.of(
            ErrorCode.INVALID_ARGUMENT,
            ErrorCode.INVALID_ROW,
            ErrorCode.UNSUPPORTED,
            ErrorCode.CONFLICT,
            ErrorCode.TOO_LARGE);

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(
            value = ConsistencyLevel.class,
            names = {"EVENTUAL", "FULLY_SERIALIZABLE"})
    void acknowledgedDocumentsSurviveAFullDisk(ConsistencyLevel level) throws IOException, InterruptedException {
        Path mount = Files.createDirectories(directory.resolve("small"));
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=" + MEGABYTES + "m", "tmpfs", mount.toString()),
                "mounting a tmpfs needs root");
        try (MongoJavaServer server = MongoJavaServer.startOnDisk(directory, mount.resolve("documents"));
                LocalCluster cluster = MongoFixtures.cluster(Map.of(MongoConnection.URI, server.uri()), directory)
                        .setting("coordinator.rebalance.period", "1s")
                        .servers(1)
                        .start();
                UniserveClient client = MongoFixtures.connect(cluster);
                UniserveClient hasty = UniserveClient.builder()
                        .bootstrap(cluster.bootstrap().toArray(String[]::new))
                        .deadline(Duration.ofSeconds(2))
                        .build()) {
            client.admin()
                    .createTable(TableSpec.named("t")
                            .port("mongodb")
                            .keyField("_id")
                            .hash(2)
                            .replicas(1)
                            .level(level));
            Set<Integer> acknowledged = new TreeSet<>();
            int sent = 0;
            while (isStored(hasty, sent)) {
                acknowledged.add(sent);
                checkComplete(hasty, acknowledged);
                sent++;
                assertThat(sent).as("updates until the disk is full").isLessThan(UPDATES_MAX);
            }
            sent++;
            checkComplete(hasty, acknowledged);
            assertThat(acknowledged).hasSizeGreaterThan(MEGABYTES);
            server.kill();
            assertThat(run("mount", "-o", "remount,size=" + 20 * MEGABYTES + "m", mount.toString()))
                    .isTrue();
            server.restart();
            await().atMost(WAIT).until(() -> isStored(hasty, UPDATES_MAX));
            Set<Integer> found = ids(client);
            assertThat(found).containsAll(acknowledged).contains(UPDATES_MAX);
            assertThat(found).as("documents that were sent").hasSizeLessThanOrEqualTo(sent + 1);
        } finally {
            assertThat(run("umount", mount.toString())).isTrue();
        }
    }

    /** Whether a large document was acknowledged. */
    private static boolean isStored(UniserveClient client, int id) {
        // One text per document, so that nothing is stored once for several.
        Document row = new Document("_id", Map.of("_id", (long) id, "text", (id + "x").repeat(20_000)));
        try {
            client.table("t")
                    .update("mongodb.put@1", Document.CODEC, List.of(row))
                    .run()
                    .orThrow();
            return true;
        } catch (UniserveException e) {
            assertNoBlame(e);
            return false;
        }
    }

    private static void checkComplete(UniserveClient client, Set<Integer> acknowledged) {
        try {
            assertThat(ids(client)).containsAll(acknowledged);
        } catch (UniserveException e) {
            assertNoBlame(e);
        }
    }

    private static void assertNoBlame(UniserveException e) {
        assertThat(e.code()).as(e.getMessage()).isNotIn(BLAME);
    }

    private static Set<Integer> ids(UniserveClient client) {
        String command = "{find: 't', filter: {_id: {$gte: 0}}, projection: {_id: 1}}";
        return BsonDocument.parse(client.query("t", command).body().utf8())
                .getDocument("cursor")
                .getArray("firstBatch")
                .stream()
                .map(document -> document.asDocument().getInt32("_id").getValue())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}
