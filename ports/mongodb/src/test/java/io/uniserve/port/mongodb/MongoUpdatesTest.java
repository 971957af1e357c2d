package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.TableSpec;
import io.uniserve.client.TableUpdate;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Updates of documents by key and by filter, in eventual tables and in atomic ones, with two servers and two replicas. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MongoUpdatesTest {
    private static final int DOCUMENTS = 40;
    private static final int UPDATES = 10;

    private LocalCluster cluster;
    private UniserveClient client;

    /** Settings of the engine. */
    Map<String, String> settings() {
        return MongoFixtures.EMBEDDED;
    }

    @BeforeAll
    void start(@TempDir Path directory) {
        cluster = MongoFixtures.cluster(settings(), directory).servers(2).start();
        client = MongoFixtures.connect(cluster);
    }

    @AfterAll
    void stop() {
        if (client != null) { // else the suite is skipped
            client.close();
            cluster.close();
        }
    }

    private void create(String table, ConsistencyLevel level) {
        client.admin()
                .createTable(TableSpec.named(table)
                        .port("mongodb")
                        .keyField("_id")
                        .hash(4)
                        .replicas(2)
                        .level(level));
        List<Document> documents = new ArrayList<>();
        for (long id = 0; id < DOCUMENTS; id++) {
            documents.add(document("_id", id, "n", 0L, "s", "x" + id % 2));
        }
        update(table, "mongodb.insert@1", documents).run().orThrow();
    }

    private static Document document(Object... fields) {
        Map<String, @Nullable Object> all = new HashMap<>();
        for (int i = 0; i < fields.length; i += 2) {
            all.put((String) fields[i], fields[i + 1]);
        }
        return new Document("_id", all);
    }

    private TableUpdate<Document> update(String table, String function, List<Document> rows) {
        return client.table(table).update(function, Document.CODEC, rows);
    }

    private BsonDocument ask(String table, String command) {
        return BsonDocument.parse(client.query(table, command).body().utf8());
    }

    private String documents(String table, String filter) {
        return ask(table, "{find: '" + table + "', filter: " + filter + ", sort: {_id: 1}}")
                .getDocument("cursor")
                .getArray("firstBatch")
                .toString();
    }

    private int count(String table, String filter) {
        return ask(table, "{count: '" + table + "', query: " + filter + "}")
                .getInt32("n")
                .getValue();
    }

    private static void refuses(ErrorCode code, String message, Runnable work) {
        assertThatThrownBy(work::run)
                .hasMessageContaining(message)
                .satisfies(
                        error -> assertThat(((UniserveException) error).code()).isEqualTo(code));
    }

    @Test
    void updatesByKeyAndByFilter() {
        create("plain", ConsistencyLevel.EVENTUAL);
        refuses(
                ErrorCode.CONFLICT,
                "DuplicateKey",
                () -> update("plain", "mongodb.insert@1", List.of(document("_id", 7L)))
                        .run()
                        .orThrow());
        update(
                        "plain",
                        "mongodb.update@1",
                        List.of(document("_id", 3L, "q", Map.of(), "u", Map.of("$inc", Map.of("n", 5L)))))
                .run()
                .orThrow();
        assertThat(documents("plain", "{n: 5}")).contains("{\"_id\": 3, ").doesNotContain("\"_id\": 4,");
        update(
                        "plain",
                        "mongodb.update@1",
                        List.of(document(
                                "_id", 99L, "q", Map.of(), "u", Map.of("$set", Map.of("n", 1L)), "upsert", true)))
                .run()
                .orThrow();
        assertThat(documents("plain", "{_id: 99}")).isEqualTo("BsonArray{values=[{\"_id\": 99, \"n\": 1}]}");
        update("plain", "mongodb.update@1", List.of(document("_id", 99L, "q", Map.of(), "u", Map.of("z", 2L))))
                .run()
                .orThrow();
        assertThat(documents("plain", "{_id: 99}")).isEqualTo("BsonArray{values=[{\"_id\": 99, \"z\": 2}]}");
        update(
                        "plain",
                        "mongodb.update@1",
                        List.of(document("q", Map.of("s", "x1"), "u", Map.of("$set", Map.of("s", "y")), "multi", true)))
                .everywhere()
                .run()
                .orThrow();
        assertThat(count("plain", "{s: 'y'}")).isEqualTo(DOCUMENTS / 2);
        update("plain", "mongodb.delete-many@1", List.of(document("q", Map.of("s", "y"))))
                .everywhere()
                .run()
                .orThrow();
        assertThat(count("plain", "{}")).isEqualTo(DOCUMENTS / 2 + 1);
        update("plain", "mongodb.delete@1", List.of(document("_id", 99L))).run().orThrow();
        assertThat(count("plain", "{}")).isEqualTo(DOCUMENTS / 2);
    }

    @Test
    void anIdHasOneDocument() {
        create("ids", ConsistencyLevel.EVENTUAL);
        Document upsert =
                document("_id", 3L, "q", Map.of("n", 7L), "u", Map.of("$set", Map.of("s", "z")), "upsert", true);
        refuses(
                ErrorCode.CONFLICT,
                "duplicate key",
                () -> update("ids", "mongodb.update@1", List.of(upsert)).run().orThrow());
        refuses(
                ErrorCode.INVALID_ROW,
                "does not belong to this actor",
                () -> update("ids", "mongodb.put@1", List.of(document("_id", 3L)))
                        .everywhere()
                        .run()
                        .orThrow());
        Document expression = document("_id", 3L, "o", Map.of("t", "$n"));
        if (settings().equals(MongoFixtures.EMBEDDED)) {
            refuses(
                    ErrorCode.INVALID_ROW,
                    "begins with $",
                    () -> update("ids", "mongodb.put@1", List.of(expression))
                            .run()
                            .orThrow());
        } else {
            update("ids", "mongodb.put@1", List.of(expression)).run().orThrow();
            assertThat(documents("ids", "{_id: 3}")).contains("\"t\": \"$n\"");
        }
        assertThat(count("ids", "{}"))
                .as("the document's own actor may store it again")
                .isEqualTo(DOCUMENTS);
    }

    @Test
    void aRowMayHaveTheKeyOfItsIdInAField() {
        create("keys", ConsistencyLevel.EVENTUAL);
        String hex = "507f1f77bcf86cd799439011";
        Map<String, @Nullable Object> fields = new HashMap<>();
        fields.put("_id", Map.of("$oid", hex));
        fields.put("n", 9L);
        for (Object key : List.of("oid:" + hex, "oid:other")) {
            fields.put("$key", key);
            Document row = new Document("$key", fields);
            if (key.equals("oid:" + hex)) {
                update("keys", "mongodb.put@1", List.of(row)).run().orThrow();
            } else {
                refuses(
                        ErrorCode.INVALID_ROW,
                        "does not belong to this actor",
                        () -> update("keys", "mongodb.put@1", List.of(row))
                                .run()
                                .orThrow());
            }
        }
        assertThat(documents("keys", "{n: 9}"))
                .isEqualTo("BsonArray{values=[{\"_id\": {\"$oid\": \"" + hex + "\"}, \"n\": 9}]}");
    }

    @Test
    void rowsOfOneUpdateSeeThoseBefore() {
        create("rows", ConsistencyLevel.EVENTUAL);
        Document text = document("_id", 3L, "q", Map.of(), "u", Map.of("$set", Map.of("n", "text")));
        Document increment = document("_id", 3L, "q", Map.of(), "u", Map.of("$inc", Map.of("n", 1L)));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "non-numeric",
                () -> update("rows", "mongodb.update@1", List.of(text, increment))
                        .run()
                        .orThrow());
        update("rows", "mongodb.update@1", List.of(increment, increment)).run().orThrow();
        assertThat(documents("rows", "{n: {$ne: 0}}")).contains("\"_id\": 3").contains("\"n\": 2");
    }

    @Test
    void aProjectionByTheEngineKeepsTheOrder() {
        create("order", ConsistencyLevel.EVENTUAL);
        String found = ask(
                        "order",
                        "{find: 'order', filter: {_id: {$in: [1, 2, 3]}}, sort: {_id: -1}, projection: {'n.b': 1}}")
                .toString();
        assertThat(found.indexOf("\"_id\": 3")).isLessThan(found.indexOf("\"_id\": 1"));
    }

    @Test
    void tablesAndOperatorsThatWouldBreakTheRulesAreRefused() {
        Partitioner chunks = new Partitioner.Time(
                "ts",
                new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC),
                1,
                Optional.empty(),
                IsoPeriod.parse("ahead", "P1D"));
        refuses(
                ErrorCode.UNSUPPORTED,
                "partitioned by time",
                () -> client.admin()
                        .createTable(TableSpec.named("chunks")
                                .port("mongodb")
                                .keyField("_id")
                                .partitioner(chunks)));
        create("operator", ConsistencyLevel.EVENTUAL);
        List<BsonDocument> out = List.of(BsonDocument.parse("{$out: 'stolen'}"));
        refuses(
                ErrorCode.UNSUPPORTED,
                "stage $out",
                () -> client.table("operator")
                        .all()
                        .retrieve(
                                RetrieveCall.of(MongoEngine.AGGREGATE),
                                MongoEngine.encode(out, QueryOptions.NONE),
                                values -> values.size()));
    }

    @Test
    void refusedUpdatesChangeNothing() {
        create("refused", ConsistencyLevel.EVENTUAL);
        Map<String, Object> set = Map.of("$set", Map.of("n", 1L));
        refusesUpdate(ErrorCode.INVALID_ROW, "ShardKeyNotFound", document("q", Map.of(), "u", set));
        refusesUpdate(
                ErrorCode.INVALID_ROW, "upsert", document("q", Map.of(), "u", set, "multi", true, "upsert", true));
        refusesUpdate(
                ErrorCode.INVALID_ROW, "whole documents", document("q", Map.of(), "u", Map.of("n", 1L), "multi", true));
        refusesUpdate(
                ErrorCode.INVALID_ROW, "known are", document("q", Map.of(), "u", set, "multi", true, "hint", "x"));
        refusesUpdate(ErrorCode.UNSUPPORTED, "$where", document("q", Map.of("$where", "1"), "u", set, "multi", true));
        refusesUpdate(
                ErrorCode.UNSUPPORTED,
                "a pattern",
                document("q", Map.of("s", Map.of("$regex", "(x+)+y")), "u", set, "multi", true));
        refusesUpdate(
                ErrorCode.UNSUPPORTED,
                "$currentDate",
                document("q", Map.of(), "u", Map.of("$currentDate", Map.of("n", true)), "multi", true));
        refusesUpdate(
                ErrorCode.INVALID_ARGUMENT,
                "non-numeric",
                document("q", Map.of(), "u", Map.of("$inc", Map.of("s", 1L)), "multi", true));
        refusesUpdate(
                ErrorCode.INVALID_ARGUMENT,
                "_id",
                document("q", Map.of(), "u", Map.of("$set", Map.of("_id", 1000L)), "multi", true));
        assertThat(count("refused", "{n: 0}")).isEqualTo(DOCUMENTS);
    }

    private void refusesUpdate(ErrorCode code, String message, Document row) {
        refuses(
                code,
                message,
                () -> update("refused", "mongodb.update@1", List.of(row))
                        .everywhere()
                        .run()
                        .orThrow());
    }

    @Test
    void refusedQueriesNameTheirFault() {
        create("asked", ConsistencyLevel.EVENTUAL);
        String deep = "{a: ".repeat(101) + "1" + "}".repeat(101);
        Map<String, String> faults = new LinkedHashMap<>();
        faults.put("{}", "INVALID_ARGUMENT: MongoDB: the command is empty");
        faults.put("count", "INVALID_ARGUMENT: MongoDB: ");
        faults.put("{drop: 'asked'}", "UNSUPPORTED: MongoDB: command drop (CommandNotFound 59)");
        faults.put("{find: 'other'}", "INVALID_ARGUMENT: MongoDB: command find names collection \"other\"");
        faults.put("{find: 1}", "INVALID_ARGUMENT: MongoDB: field 'find' must be a string");
        faults.put("{find: 'asked', min: {}}", "UNSUPPORTED: MongoDB: field 'min' of command find");
        faults.put("{find: 'asked', limit: -1}", "INVALID_ARGUMENT: MongoDB: field 'limit' must be a whole number");
        faults.put("{find: 'asked', filter: 7}", "INVALID_ARGUMENT: MongoDB: field 'filter' must be a document");
        faults.put("{find: 'asked', filter: " + deep + "}", "INVALID_ARGUMENT: MongoDB: the command has more than 100");
        faults.put("{find: 'asked', filter: {$where: '1'}}", "UNSUPPORTED: MongoDB: $where, which runs code");
        faults.put("{find: 'asked', filter: {n: {$nope: 1}}}", "INVALID_ARGUMENT: MongoDB: ");
        faults.put("{find: 'asked', filter: {s: {$regex: '(x+)+y'}}}", "UNSUPPORTED: MongoDB: a pattern repeats");
        faults.put(pipeline("{$sort: {n: 1}}, {$match: {s: {$regex: '(x*)*y'}}}"), "UNSUPPORTED: MongoDB: a pattern");
        faults.put("{find: 'asked', projection: {n: 1, s: 0}}", "INVALID_ARGUMENT: MongoDB: ");
        faults.put("{find: 'asked', '$format': 'xml'}", "INVALID_ARGUMENT: MongoDB: $format is \"xml\"");
        faults.put("{find: 'asked', hint: 'n_1'}", "INVALID_ARGUMENT: MongoDB: field 'hint' must be a document");
        faults.put("{find: 'asked', hint: {n: 1}}", "INVALID_ARGUMENT: MongoDB: field 'hint' is {\"n\": 1}, but");
        faults.put(
                "{find: 'asked', collation: {locale: 'sv'}}", "UNSUPPORTED: MongoDB: field 'collation': the embedded");
        faults.put("{count: 'asked', collation: 7}", "INVALID_ARGUMENT: MongoDB: field 'collation' must be a document");
        faults.put("{distinct: 'asked', key: ''}", "INVALID_ARGUMENT: MongoDB: field 'key' must name a field");
        faults.put("{aggregate: 'asked', cursor: {}}", "INVALID_ARGUMENT: MongoDB: field 'pipeline' is missing");
        faults.put(pipeline("{$match: {}, $limit: 1}"), "INVALID_ARGUMENT: MongoDB: a pipeline stage has 2 fields");
        faults.put(
                pipeline("{$skip: 1}, ".repeat(9_999) + "{$skip: 1}"),
                "INVALID_ARGUMENT: MongoDB: a pipeline has 10000 stages");
        faults.put(pipeline("{$nope: 1}"), "UNSUPPORTED: MongoDB: ");
        faults.put(pipeline("{$lookup: {from: 'x', as: 'x'}}"), "TABLE_NOT_FOUND: ");
        faults.put(pipeline("{$facet: {a: [{$out: 'x'}]}}"), "UNSUPPORTED: MongoDB: stage $out");
        faults.put(pipeline("{$addFields: {x: {$function: {}}}}"), "UNSUPPORTED: MongoDB: $function, which runs code");
        faults.forEach((command, fault) -> assertThatThrownBy(() -> client.query("asked", command))
                .as(command)
                .hasMessageStartingWith(fault));
        assertThat(count("asked", "{}")).isEqualTo(DOCUMENTS);
    }

    private static String pipeline(String stages) {
        return "{aggregate: 'asked', cursor: {}, pipeline: [" + stages + "]}";
    }

    @Test
    void updatesOfAllActorsAreSeenWholeOrNotAtAll() {
        create("atomic", ConsistencyLevel.FULLY_SERIALIZABLE);
        Document increment = document("q", Map.of(), "u", Map.of("$inc", Map.of("n", 1L)), "multi", true);
        String both = "{aggregate: 'atomic', cursor: {}, pipeline: [{$group: {_id: null, lo: {$min: '$n'},"
                + " hi: {$max: '$n'}, c: {$sum: 1}}}]}";
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> reader = CompletableFuture.supplyAsync(() -> {
            int reads = 0;
            do {
                BsonDocument group = ask("atomic", both)
                        .getDocument("cursor")
                        .getArray("firstBatch")
                        .get(0)
                        .asDocument();
                assertThat(group.get("lo")).as(group.toJson()).isEqualTo(group.get("hi"));
                assertThat(group.getInt32("c").getValue()).isEqualTo(DOCUMENTS);
                reads++;
            } while (!over.get());
            return reads;
        });
        try {
            for (int i = 0; i < UPDATES; i++) {
                update("atomic", "mongodb.update@1", List.of(increment))
                        .everywhere()
                        .run()
                        .orThrow();
            }
        } finally {
            over.set(true);
        }
        assertThat(reader.join()).isPositive();
        assertThat(count("atomic", "{n: " + UPDATES + "}")).isEqualTo(DOCUMENTS);
    }

    @Test
    void indexesOfATableChange() {
        create("indexed", ConsistencyLevel.EVENTUAL);
        assertThatThrownBy(() -> ask("indexed", "{find: 'indexed', hint: {n: 1}}"))
                .hasMessageContaining("no such index");
        String option = MutableOptions.mutableName(SecondaryIndexes.OPTION);
        client.admin().updateTable("indexed", Map.of(option, "[{\"n\": 1}]"));
        assertThat(documents("indexed", "{n: 0}, hint: {n: 1}")).contains("\"_id\": 3");
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "is not a field with 1 or -1",
                () -> client.admin().updateTable("indexed", Map.of(option, "[{\"n\": 7}]")));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "only indexes may change",
                () -> client.admin().updateTable("indexed", Map.of(MutableOptions.mutableName("other"), "1")));
        update("indexed", "mongodb.put@1", List.of(document("_id", 3L, "n", 1L)))
                .run()
                .orThrow();
        assertThat(count("indexed", "{n: 0}, hint: {n: 1}")).isEqualTo(DOCUMENTS - 1);
    }

    @Test
    void aServerThatReturnsHasTheDocuments() {
        create("returns", ConsistencyLevel.EVENTUAL);
        cluster.stopAbruptly(1);
        assertThat(count("returns", "{s: 'x1'}")).isEqualTo(DOCUMENTS / 2);
        cluster.start(1);
        await().until(() -> client.admin().describeTable("returns").map().actors().stream()
                .allMatch(actor -> actor.isr().size() == 2));
        cluster.stopAbruptly(2);
        assertThat(count("returns", "{s: 'x1'}")).isEqualTo(DOCUMENTS / 2);
        cluster.start(2);
    }
}
