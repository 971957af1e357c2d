package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.testkit.cluster.LocalCluster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Cases for the behaviours that the CRUD specification of MongoDB's drivers names. One engine with all documents, mongo-java-server, has the
 * same answers and the same documents afterwards.
 */
class MongoCrudCasesTest {
    private static final Map<String, String> GIVEN = Map.of(
            "none", "[]",
            "one", "[{_id: 1, x: 11}]",
            "many",
                    "[{_id: 1, x: 11}, {_id: 2, x: 22}, {_id: 3, x: 33}, {_id: 4, x: 44}, {_id: 5, x: 55}, {_id: 6, x: 66}]",
            "nested",
                    "[{_id: 1, a: {b: 1}, l: [1, 2], s: 5, z: 1}, {_id: 2, a: {b: 2}, l: [3, 'x'], s: 6},"
                            + " {_id: 3, a: null, l: [], s: 7}, {_id: 4, a: [{b: 1}, {b: null}], l: 4}]",
            "arrays", "[{_id: 1, y: [{b: 3}, {b: 1}]}, {_id: 2, y: [{b: 0}, {b: 1}]}]");

    @TempDir
    static Path directory;

    private static MongoServer server;
    private static MongoClient engine;
    private static MongoDatabase one;
    private static LocalCluster cluster;
    private static UniserveClient client;

    @BeforeAll
    static void start() {
        server = new MongoServer(new MemoryBackend());
        engine = MongoClients.create(server.bindAndGetConnectionString());
        one = engine.getDatabase("one");
        cluster = LocalCluster.builder()
                .servers(2)
                .engine(new MongoEngine())
                .directory(directory)
                .start();
        client = MongoFixtures.connect(cluster);
        client.admin()
                .createTable(TableSpec.named("c")
                        .port("mongodb")
                        .keyField("_id")
                        .hash(4)
                        .replicas(2)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
    }

    @AfterAll
    static void stop() {
        client.close();
        cluster.close();
        engine.close();
        server.shutdownNow();
    }

    private static Stream<BsonDocument> cases() throws IOException {
        try (InputStream in = Objects.requireNonNull(MongoCrudCasesTest.class.getResourceAsStream("crud-cases.json"))) {
            return BsonDocument.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8)).getArray("cases").stream()
                    .map(BsonValue::asDocument);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void behavesAsOneEngine(BsonDocument test) {
        List<BsonDocument> given = documents(
                BsonDocument.parse("{g: " + GIVEN.get(test.getString("given").getValue()) + "}")
                        .get("g", new BsonArray()));
        client.table("c")
                .update(MongoWrite.FUNCTION, MongoWrite.CODEC, WriteCommand.out(given))
                .everywhere()
                .run()
                .orThrow();
        MongoCollection<BsonDocument> collection = one.getCollection("c", BsonDocument.class);
        collection.deleteMany(new BsonDocument());
        given.forEach(collection::insertOne);
        boolean alone = test.containsKey("alone"); // the engine does not have it
        boolean refused = test.containsKey("refused");
        for (BsonDocument command : documents(test.getArray("run"))) {
            BsonValue actual = refused ? new BsonString("refused") : actual(command);
            if (refused) {
                assertThat(isRefused(() -> actual(command))).isTrue();
                assertThat(alone || isRefused(() -> expected(command))).isTrue();
            } else if (!alone) {
                assertThat(actual).as(command.toJson()).isEqualTo(expected(command));
            }
        }
        BsonDocument all = BsonDocument.parse("{find: 'c', sort: {_id: 1}}");
        BsonArray left = actual(all).asArray();
        if (test.containsKey("then")) {
            assertThat(left.toString()).isEqualTo(test.getArray("then").toString());
        }
        if (!alone && !refused) {
            assertThat(left.toString()).isEqualTo(expected(all).asArray().toString());
        }
    }

    private static boolean isRefused(Runnable work) {
        try {
            work.run();
            return false;
        } catch (MongoException | UniserveException e) {
            return true;
        }
    }

    private static List<BsonDocument> documents(BsonValue array) {
        return array.asArray().stream().map(BsonValue::asDocument).toList();
    }

    private static boolean isWrite(BsonDocument command) {
        return List.of("insert", "update", "delete", "bulkWrite").contains(command.getFirstKey());
    }

    private static BsonValue actual(BsonDocument command) {
        if (isWrite(command)) {
            client.table("c")
                    .update(MongoWrite.FUNCTION, MongoWrite.CODEC, WriteCommand.parse("c", command))
                    .everywhere()
                    .run()
                    .orThrow();
            return new BsonString("written");
        }
        String text =
                command.clone().append("$format", new BsonString("canonical")).toJson(MongoFixtures.CANONICAL);
        return answer(BsonDocument.parse(client.query("c", text).body().utf8()));
    }

    private static BsonValue answer(BsonDocument reply) {
        return reply.containsKey("cursor")
                ? reply.getDocument("cursor").getArray("firstBatch")
                : reply.getOrDefault(reply.containsKey("n") ? "n" : "values", BsonNull.VALUE);
    }

    private static BsonValue expected(BsonDocument command) {
        if (!isWrite(command)) {
            BsonDocument whole = command.clone();
            whole.remove("batchSize");
            if (whole.containsKey("cursor")) {
                whole.put("cursor", new BsonDocument());
            }
            return answer(one.runCommand(whole, BsonDocument.class));
        }
        List<BsonDocument> commands = new ArrayList<>(List.of(command));
        if (command.containsKey("bulkWrite")) {
            commands.clear();
            documents(command.getArray("ops")).forEach(operation -> commands.add(single(operation)));
        }
        for (BsonDocument each : commands) {
            BsonDocument reply = one.runCommand(each, BsonDocument.class);
            if (reply.containsKey("writeErrors")) {
                throw new MongoException(reply.toJson());
            }
        }
        return new BsonString("written");
    }

    /** The operation of a bulk write as a command, which the engine has. */
    private static BsonDocument single(BsonDocument operation) {
        String name = operation.getFirstKey();
        BsonDocument body = operation.getDocument(name);
        BsonValue filter = body.getOrDefault("filter", new BsonDocument());
        if (name.equals("insertOne")) {
            return command("insert", "documents", body.getDocument("document"));
        }
        if (name.startsWith("delete")) {
            BsonDocument delete =
                    new BsonDocument("q", filter).append("limit", new BsonInt32(name.equals("deleteOne") ? 1 : 0));
            return command("delete", "deletes", delete);
        }
        BsonDocument change = body.getDocument(name.equals("replaceOne") ? "replacement" : "update");
        boolean operators = change.getFirstKey().startsWith("$");
        if (operators == name.equals("replaceOne")) {
            throw new MongoException("drivers refuse " + operation.toJson());
        }
        BsonDocument update = new BsonDocument("q", filter)
                .append("u", change)
                .append("multi", BsonBoolean.valueOf(name.equals("updateMany")));
        if (body.containsKey("arrayFilters")) {
            update.put("arrayFilters", body.getArray("arrayFilters"));
        }
        return command("update", "updates", update);
    }

    private static BsonDocument command(String name, String field, BsonDocument statement) {
        return new BsonDocument(name, new BsonString("c")).append(field, new BsonArray(List.of(statement)));
    }
}
