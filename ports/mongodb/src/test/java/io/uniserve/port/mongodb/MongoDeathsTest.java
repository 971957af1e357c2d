package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.port.mongodb.server.MongoConnection;
import io.uniserve.port.mongodb.server.MongoJavaServer;
import io.uniserve.runtime.config.Settings;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * MongoDB servers that die and come back empty, or lose collections: no answer lacks documents, no update blames its rows, and the documents
 * return from Uniserve's log. The server is mongo-java-server, as a process of its own.
 */
class MongoDeathsTest {
    private static final int DOCUMENTS = 60;
    private static final int DEATHS = 3;

    /** Setting: period of the survey in which actors report their usage, and that they are lost. */
    private static final String SURVEY_PERIOD = "coordinator.rebalance.period";

    @TempDir
    Path directory;

    private LocalCluster cluster(MongoJavaServer server, int servers) {
        return MongoFixtures.cluster(Map.of(MongoConnection.URI, server.uri()), directory)
                .setting(SURVEY_PERIOD, "1s")
                .servers(servers)
                .start();
    }

    private static void create(UniserveClient client, String table, int replicas, ConsistencyLevel level) {
        client.admin()
                .createTable(TableSpec.named(table)
                        .port("mongodb")
                        .keyField("_id")
                        .hash(3)
                        .replicas(replicas)
                        .level(level));
        put(client, table, 0, DOCUMENTS);
    }

    private static void put(UniserveClient client, String table, long from, long to) {
        List<Document> rows = LongStream.range(from, to)
                .mapToObj(id -> new Document("_id", Map.of("_id", id, "n", id)))
                .toList();
        client.table(table).update("mongodb.put@1", Document.CODEC, rows).run().orThrow();
    }

    private static int count(UniserveClient client, String table) {
        String command = "{count: '" + table + "', query: {n: {$gte: 0}}}";
        return BsonDocument.parse(client.query(table, command).body().utf8())
                .getInt32("n")
                .getValue();
    }

    /** Merged by the planning server. */
    private static int sorted(UniserveClient client, String table) {
        String command = "{find: '" + table + "', sort: {n: -1}}";
        return BsonDocument.parse(client.query(table, command).body().utf8())
                .getDocument("cursor")
                .getArray("firstBatch")
                .size();
    }

    @Test
    void aServerThatComesBackEmptyAnswersNothingElse() {
        try (MongoJavaServer server = MongoJavaServer.start(directory);
                LocalCluster cluster = cluster(server, 1);
                UniserveClient client = MongoFixtures.connect(cluster);
                UniserveClient hasty = UniserveClient.builder()
                        .bootstrap(cluster.bootstrap().toArray(String[]::new))
                        .deadline(Duration.ofSeconds(2))
                        .build()) {
            create(client, "t", 1, ConsistencyLevel.EVENTUAL);
            create(client, "atomic", 1, ConsistencyLevel.FULLY_SERIALIZABLE);
            for (int i = 0; i < DEATHS; i++) {
                server.kill();
                assertThatThrownBy(() -> count(hasty, "t"))
                        .isInstanceOf(UniserveException.class)
                        .satisfies(error -> assertThat(((UniserveException) error).code())
                                .isNotIn(ErrorCode.INVALID_ARGUMENT, ErrorCode.UNSUPPORTED, ErrorCode.CONFLICT));
                server.restart();
                assertThat(count(client, "t")).isEqualTo(DOCUMENTS);
                assertThat(sorted(client, "atomic")).isEqualTo(DOCUMENTS);
            }
            put(client, "t", DOCUMENTS, DOCUMENTS + 1);
            assertThat(sorted(client, "t")).isEqualTo(DOCUMENTS + 1);
        }
    }

    @Test
    void readersUnderDeathsSeeAllDocumentsOrAnError() {
        try (MongoJavaServer server = MongoJavaServer.start(directory);
                LocalCluster cluster = cluster(server, 2);
                UniserveClient client = MongoFixtures.connect(cluster)) {
            create(client, "t", 2, ConsistencyLevel.EVENTUAL);
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Integer> reads = CompletableFuture.supplyAsync(() -> {
                int answered = 0;
                while (!over.get()) {
                    try {
                        assertThat(count(client, "t")).isGreaterThanOrEqualTo(DOCUMENTS);
                        assertThat(sorted(client, "t")).isGreaterThanOrEqualTo(DOCUMENTS);
                        answered++;
                    } catch (UniserveException e) {
                        assertThat(e.code()).as(e.getMessage()).isNotEqualTo(ErrorCode.INVALID_ARGUMENT);
                    }
                }
                return answered;
            });
            long next = DOCUMENTS;
            for (int i = 0; i < DEATHS; i++) {
                server.kill();
                CompletableFuture<Void> restart = CompletableFuture.runAsync(server::restart);
                put(client, "t", next, next + 1); // retried until the server is back
                next++;
                restart.join();
                put(client, "t", next, next + 1);
                next++;
            }
            over.set(true);
            assertThat(reads.join()).isPositive();
            assertThat(count(client, "t")).isEqualTo((int) next);
        }
    }

    /** The second server of the cluster has a MongoDB server of its own. */
    private LocalCluster cluster(MongoJavaServer first, MongoJavaServer second) {
        return MongoFixtures.cluster(Map.of(), directory)
                .settings(values -> {
                    boolean isSecond =
                            values.getOrDefault("uniserve.server.data-dir", "").endsWith("server-2");
                    Map<String, String> all = new TreeMap<>(values);
                    all.put("uniserve.server.port-settings.mongodb.uri", isSecond ? second.uri() : first.uri());
                    return Settings.load(Optional.empty(), all);
                })
                .setting(SURVEY_PERIOD, "1s")
                .servers(2)
                .start();
    }

    @Test
    void aReplicaOnAnotherMongoAnswersMeanwhile() {
        try (MongoJavaServer first = MongoJavaServer.start(directory);
                MongoJavaServer second = MongoJavaServer.start(directory);
                LocalCluster cluster = cluster(first, second);
                UniserveClient client = MongoFixtures.connect(cluster)) {
            create(client, "t", 2, ConsistencyLevel.EVENTUAL);
            await().until(() -> client.admin().describeTable("t").map().actors().stream()
                    .allMatch(actor -> actor.isr().size() == 2));
            for (MongoJavaServer dying : List.of(first, second)) {
                dying.kill();
                assertThat(count(client, "t")).isEqualTo(DOCUMENTS);
                assertThat(sorted(client, "t")).isEqualTo(DOCUMENTS);
                dying.restart();
                assertThat(count(client, "t")).isEqualTo(DOCUMENTS);
                await().until(() -> client.admin().describeTable("t").map().actors().stream()
                        .allMatch(actor -> actor.isr().size() == 2));
            }
        }
    }

    @Test
    void aDroppedCollectionIsRebuilt() {
        try (MongoJavaServer server = MongoJavaServer.start(directory);
                LocalCluster cluster = cluster(server, 1);
                UniserveClient client = MongoFixtures.connect(cluster);
                MongoClient mongo = MongoClients.create(server.uri())) {
            create(client, "t", 1, ConsistencyLevel.EVENTUAL);
            List<String> names = new ArrayList<>();
            mongo.getDatabase("uniserve_1").listCollectionNames().into(names);
            assertThat(names).filteredOn(name -> name.startsWith("actor")).hasSize(3);
            names.stream()
                    .filter(name -> name.startsWith("actor"))
                    .forEach(name ->
                            mongo.getDatabase("uniserve_1").getCollection(name).drop());
            assertThat(count(client, "t")).isEqualTo(DOCUMENTS);
            mongo.getDatabase("uniserve_1").drop();
            put(client, "t", DOCUMENTS, DOCUMENTS + 1);
            assertThat(sorted(client, "t")).isEqualTo(DOCUMENTS + 1);
            await().until(() ->
                    mongo.listDatabaseNames().into(new ArrayList<>()).contains("uniserve_1"));
        }
    }
}
