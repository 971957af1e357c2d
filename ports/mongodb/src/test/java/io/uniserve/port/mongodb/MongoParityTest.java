package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random commands over hostile documents on seven actors of three servers have the answers of one engine with all documents. The engine is
 * mongo-java-server on both sides.
 */
class MongoParityTest {
    private static final int DOCUMENTS = 300;
    private static final int OTHER_DOCUMENTS = 20;
    private static final int COMMANDS = Integer.getInteger("uniserve.parity.queries", 500);
    private static final int SERVERS = 3;
    private static final int STOPS = 3;
    private static final int COMMANDS_PER_STOP = 20;
    private static final Duration WAIT = Duration.ofMinutes(2);
    private static final Set<ErrorCode> REFUSALS = Set.of(ErrorCode.INVALID_ARGUMENT, ErrorCode.UNSUPPORTED);
    private static final long SEED = Long.getLong("uniserve.parity.seed", 38);

    /** Share of commands that may be refused by one engine with all documents too. */
    private static final double REFUSED_MAX = 0.3;

    /** Server with all documents, whose answers are right. */
    record ReferenceServer(String uri, Runnable end) implements AutoCloseable {
        @Override
        public void close() {
            end.run();
        }
    }

    Map<String, String> settings() {
        return MongoFixtures.EMBEDDED;
    }

    ReferenceServer reference() {
        MongoServer server = new MongoServer(new MemoryBackend());
        return new ReferenceServer(server.bindAndGetConnectionString(), server::shutdownNow);
    }

    /** Whether documents also have values of which mongo-java-server has no order. */
    boolean hasAllValues() {
        return false;
    }

    @Test
    void answersAreThoseOfOneEngine(@TempDir Path directory) {
        try (ReferenceServer server = reference();
                MongoClient engine = MongoClients.create(server.uri());
                LocalCluster cluster = MongoFixtures.cluster(settings(), directory)
                        .servers(SERVERS)
                        .start();
                UniserveClient client = MongoFixtures.connect(cluster)) {
            Random random = new Random(SEED);
            CommandGenerator generator = new CommandGenerator(random, hasAllValues());
            MongoDatabase one = engine.getDatabase("one");
            one.drop();
            fill(client, one, generator, random);
            compare(client, one, generator);
        }
    }

    /** Servers stop abruptly, one after the other, and return when the rest has answered some commands. */
    @Test
    void answersStayThoseOfOneEngineWhileServersStop(@TempDir Path directory) throws Exception {
        try (ReferenceServer server = reference();
                MongoClient engine = MongoClients.create(server.uri());
                LocalCluster cluster = MongoFixtures.cluster(settings(), directory)
                        .servers(SERVERS)
                        .start();
                UniserveClient client = MongoFixtures.connect(cluster)) {
            Random random = new Random(SEED + 1);
            CommandGenerator generator = new CommandGenerator(random, hasAllValues());
            MongoDatabase one = engine.getDatabase("one");
            one.drop();
            fill(client, one, generator, random);
            AtomicInteger answered = new AtomicInteger();
            CompletableFuture<Integer> stops =
                    CompletableFuture.supplyAsync(() -> stopServers(cluster, client, answered));
            int failed = 0;
            for (int i = 0; !stops.isDone(); i++) {
                String command = generator.command();
                String actual = actual(client, command);
                answered.incrementAndGet();
                if (actual.startsWith("failed")) {
                    failed++;
                } else {
                    check(expected(one, command), actual, i, command);
                }
            }
            assertThat(stops.join()).isEqualTo(STOPS);
            assertThat(failed).as("commands that failed").isLessThan(answered.get() / 4);
        }
    }

    private static int stopServers(LocalCluster cluster, UniserveClient client, AtomicInteger answered) {
        int stops = 0;
        for (; stops < STOPS; stops++) {
            int server = 1 + stops % SERVERS;
            int before = answered.get();
            cluster.stopAbruptly(server);
            await().atMost(WAIT).until(() -> answered.get() >= before + COMMANDS_PER_STOP);
            cluster.start(server);
            await().atMost(WAIT)
                    .until(() -> Stream.of("t", "u")
                            .flatMap(table -> client.admin().describeTable(table).map().actors().stream())
                            .allMatch(actor -> actor.isr().size() == 2));
        }
        return stops;
    }

    /** Documents are stored, some are replaced, and some are deleted. */
    private static void fill(UniserveClient client, MongoDatabase one, CommandGenerator generator, Random random) {
        create(client, "t", 7);
        create(client, "u", 3);
        List<Document> others = new ArrayList<>();
        for (long id = 0; id < OTHER_DOCUMENTS; id++) {
            others.add(generator.document(id));
        }
        client.table("u").update("mongodb.put@1", Document.CODEC, others).run().orThrow();
        MongoCollection<BsonDocument> otherCollection = one.getCollection("u", BsonDocument.class);
        others.forEach(row -> otherCollection.insertOne(DocumentConverter.toBson(row)));
        Map<String, Document> documents = new TreeMap<>();
        for (int round = 0; round < 2; round++) {
            List<Document> stored = new ArrayList<>();
            for (long id = 0; id < DOCUMENTS; id++) {
                if (round == 0 || random.nextInt(4) == 0) {
                    stored.add(generator.document(id % 3 == 0 ? "k" + id : (Object) (id - 20)));
                }
            }
            client.table("t")
                    .update("mongodb.put@1", Document.CODEC, stored)
                    .run()
                    .orThrow();
            stored.forEach(row -> documents.put(String.valueOf(row.fields().get("_id")), row));
        }
        List<Document> deleted = documents.values().stream()
                .filter(row -> random.nextInt(10) == 0)
                .toList();
        client.table("t")
                .update("mongodb.delete@1", Document.CODEC, deleted)
                .run()
                .orThrow();
        documents.values().removeAll(deleted);
        MongoCollection<BsonDocument> collection = one.getCollection("t", BsonDocument.class);
        documents.values().forEach(row -> collection.insertOne(DocumentConverter.toBson(row)));
    }

    private static void create(UniserveClient client, String table, int actors) {
        client.admin()
                .createTable(TableSpec.named(table)
                        .port("mongodb")
                        .keyField("_id")
                        .hash(actors)
                        .replicas(2)
                        .option("indexes", "[{\"n\": 1}]"));
    }

    private static void compare(UniserveClient client, MongoDatabase one, CommandGenerator generator) {
        int refused = 0;
        for (int i = 0; i < COMMANDS; i++) {
            String command = generator.command();
            String expected = expected(one, command);
            String actual = actual(client, command);
            refused += expected.startsWith("refused") ? 1 : 0;
            check(expected, actual, i, command);
        }
        assertThat(refused).as("commands that the engine refuses").isLessThan((int) (COMMANDS * REFUSED_MAX));
    }

    private static void check(String expected, String actual, int number, String command) {
        boolean equal = expected.startsWith("refused") ? !actual.startsWith("{") : isEqual(expected, actual);
        assertThat(equal)
                .as("seed %d, command %d: %s%nexpected %s%nactual   %s", SEED, number, command, expected, actual)
                .isTrue();
    }

    private static boolean isEqual(String expected, String actual) {
        return actual.startsWith("{")
                && AnswerComparison.areEqual(BsonDocument.parse(expected), BsonDocument.parse(actual));
    }

    private static String expected(MongoDatabase one, String command) {
        try {
            BsonDocument parsed = BsonDocument.parse(command);
            parsed.remove("$shuffle");
            if (parsed.containsKey("find") || parsed.containsKey("aggregate")) {
                List<BsonValue> all = new ArrayList<>();
                BsonDocument first = run(one, parsed.append("batchSize", new org.bson.BsonInt32(DOCUMENTS * 10)));
                all.addAll(first.getDocument("cursor").getArray("firstBatch"));
                return new BsonDocument("answer", new org.bson.BsonArray(all)).toJson(MongoFixtures.CANONICAL);
            }
            BsonDocument answer = run(one, parsed);
            String field = parsed.containsKey("count") ? "n" : "values";
            return new BsonDocument(field, answer.get(field)).toJson(MongoFixtures.CANONICAL);
        } catch (MongoException e) {
            return "refused: " + e.getMessage();
        }
    }

    private static BsonDocument run(MongoDatabase one, BsonDocument command) {
        return one.withCodecRegistry(org.bson.codecs.configuration.CodecRegistries.fromCodecs(new BsonDocumentCodec()))
                .runCommand(command, BsonDocument.class);
    }

    private static String actual(UniserveClient client, String command) {
        String text = command.substring(0, command.length() - 1) + ", '$format': 'canonical'}";
        try {
            BsonDocument answer =
                    BsonDocument.parse(client.query("t", text).body().utf8());
            if (answer.containsKey("cursor")) {
                return new BsonDocument("answer", answer.getDocument("cursor").getArray("firstBatch"))
                        .toJson(MongoFixtures.CANONICAL);
            }
            String field = answer.containsKey("n") ? "n" : "values";
            return new BsonDocument(field, answer.get(field)).toJson(MongoFixtures.CANONICAL);
        } catch (UniserveException e) {
            boolean user = REFUSALS.contains(e.code());
            return (user ? "refused: " : "failed: ") + e.getMessage();
        }
    }
}
