package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.client.TableSpec;
import io.uniserve.client.TableUpdate;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes as BSON: every type of _id, large and deep documents, and several writes as one update. */
class MongoWritesTest {
    /** Ids, and for some an equal value of another type. */
    private static final Map<String, String> IDS = new LinkedHashMap<>();

    static {
        IDS.put("''", "");
        IDS.put("'1'", "");
        IDS.put("'" + "x".repeat(5_000) + "'", "");
        IDS.put("'😀'", "");
        IDS.put("1", "{$numberDecimal: '1.00'}");
        IDS.put("0", "-0.0");
        IDS.put("{$numberLong: '2'}", "2.0");
        IDS.put("0.5", "{$numberDecimal: '0.50'}");
        IDS.put("0.1", "");
        IDS.put("{$numberDecimal: '1E+10'}", "1.0E10");
        IDS.put("{$numberLong: '-9223372036854775808'}", "-9.223372036854775808E18");
        IDS.put("{$numberDouble: 'NaN'}", "");
        IDS.put("{$numberDouble: 'Infinity'}", "");
        IDS.put("{$oid: '507f1f77bcf86cd799439011'}", "");
        IDS.put("{$date: '2024-02-29T00:00:00Z'}", "");
        IDS.put("true", "");
        IDS.put("false", "");
        IDS.put("null", "");
        IDS.put("{$binary: {base64: 'AQI=', subType: '00'}}", "");
        IDS.put("{$timestamp: {t: 1, i: 1}}", "");
        IDS.put("{a: 1, b: {c: [1, 2]}}", "{a: 1.0, b: {c: [{$numberLong: '1'}, 2]}}");
        IDS.put("{b: {c: [1, 2]}, a: 1}", "");
        IDS.put("{}", "");
    }

    @TempDir
    static Path directory;

    private static LocalCluster cluster;
    private static UniserveClient client;

    @BeforeAll
    static void start() {
        cluster = LocalCluster.builder()
                .servers(2)
                .engine(new MongoEngine())
                .directory(directory)
                .start();
        client = MongoFixtures.connect(cluster);
    }

    @AfterAll
    static void stop() {
        client.close();
        cluster.close();
    }

    private static void create(String table, ConsistencyLevel level) {
        client.admin()
                .createTable(TableSpec.named(table)
                        .port("mongodb")
                        .keyField("_id")
                        .hash(4)
                        .replicas(2)
                        .level(level));
    }

    private static TableUpdate<MongoWrite> writes(String table, List<MongoWrite> writes) {
        return client.table(table).update(MongoWrite.FUNCTION, MongoWrite.CODEC, writes);
    }

    private static void write(String table, MongoWrite write) {
        writes(table, List.of(write)).run().orThrow();
    }

    private static void run(String table, String command) {
        writes(table, WriteCommand.parse(table, BsonDocument.parse(command)))
                .everywhere()
                .run()
                .orThrow();
    }

    private static BsonArray find(String table, String filter) {
        String command = "{find: '" + table + "', filter: " + filter + ", sort: {_id: 1}, '$format': 'canonical'}";
        return BsonDocument.parse(client.query(table, command).body().utf8())
                .getDocument("cursor")
                .getArray("firstBatch");
    }

    private static void refuses(ErrorCode code, String message, Runnable work) {
        assertThatThrownBy(work::run)
                .hasMessageContaining(message)
                .satisfies(
                        error -> assertThat(((UniserveException) error).code()).isEqualTo(code));
    }

    private static BsonDocument document(String json) {
        return BsonDocument.parse(json);
    }

    private static BsonValue value(String json) {
        return document("{v: " + json + "}").get("v", new BsonString("none"));
    }

    @Test
    void anIdOfEveryTypeIsUnique() {
        create("ids", ConsistencyLevel.EVENTUAL);
        int n = 0;
        for (String id : IDS.keySet()) {
            write("ids", MongoWrite.insert(document("{_id: " + id + ", n: " + n++ + "}")));
        }
        n = 0;
        for (Map.Entry<String, String> id : IDS.entrySet()) {
            assertThat(find("ids", "{_id: {$eq: " + id.getKey() + "}, n: " + n + "}"))
                    .as(id.getKey())
                    .hasSize(1);
            for (String same : List.of(id.getKey(), id.getValue())) {
                if (!same.isEmpty()) {
                    refuses(
                            ErrorCode.CONFLICT,
                            "DuplicateKey",
                            () -> write("ids", MongoWrite.insert(document("{_id: " + same + "}"))));
                }
            }
            n++;
        }
        String all = client.query("ids", "{count: 'ids'}").body().utf8();
        assertThat(document(all).getInt32("n").getValue()).isEqualTo(IDS.size());
        for (Map.Entry<String, String> id : IDS.entrySet()) {
            String other = id.getValue().isEmpty() ? id.getKey() : id.getValue();
            write("ids", MongoWrite.delete(value(other), new BsonDocument()));
        }
        assertThat(find("ids", "{}")).isEmpty();
    }

    @Test
    void idsThatMongoDbRefusesAreRefused() {
        create("noids", ConsistencyLevel.EVENTUAL);
        for (String id : List.of(
                "[1]", "{$regularExpression: {pattern: 'a', options: ''}}", "{$undefined: true}", "{$symbol: 'a'}")) {
            refuses(
                    ErrorCode.INVALID_ROW,
                    "BadValue",
                    () -> write("noids", MongoWrite.insert(document("{_id: " + id + "}"))));
        }
        refuses(ErrorCode.INVALID_ROW, "_id is missing", () -> write("noids", MongoWrite.put(document("{n: 1}"))));
        BsonDocument operator = new BsonDocument("_id", new BsonDocument("$gt", new BsonInt32(1)));
        refuses(ErrorCode.INVALID_ROW, "DollarPrefixed", () -> write("noids", MongoWrite.put(operator)));
        assertThat(find("noids", "{}")).isEmpty();
    }

    @Test
    void documentsUpToMongoDbsLimits() {
        create("large", ConsistencyLevel.EVENTUAL);
        int rest = BsonRows.encode(sized(0)).length;
        BsonDocument largest = sized(PendingWrites.DOCUMENT_BYTES_MAX - rest);
        write("large", MongoWrite.put(largest));
        assertThat(find("large", "{_id: 1}").get(0)).isEqualTo(largest);
        refuses(
                ErrorCode.TOO_LARGE,
                "BSONObjectTooLarge",
                () -> write("large", MongoWrite.put(sized(PendingWrites.DOCUMENT_BYTES_MAX - rest + 1))));
        write("large", MongoWrite.put(nested(99)));
        assertThat(find("large", "{_id: 2}").get(0)).isEqualTo(nested(99));
        refuses(ErrorCode.INVALID_ROW, "Overflow 15", () -> write("large", MongoWrite.put(nested(100))));
        BsonDocument wide = new BsonDocument("_id", new BsonInt32(3));
        for (int i = 0; i < 20_000; i++) {
            wide.put("field." + i, new BsonInt32(i));
        }
        write("large", MongoWrite.put(wide));
        assertThat(find("large", "{_id: 3}").get(0)).isEqualTo(wide);
    }

    private static BsonDocument sized(int bytes) {
        return new BsonDocument("_id", new BsonInt32(1)).append("b", new BsonBinary(new byte[bytes]));
    }

    private static BsonDocument nested(int levels) {
        BsonDocument nested = new BsonDocument();
        for (int i = 1; i < levels; i++) {
            nested = new BsonDocument("a", nested);
        }
        return new BsonDocument("_id", new BsonInt32(2)).append("a", nested);
    }

    @Test
    void valuesOfEveryTypeReturn() {
        create("types", ConsistencyLevel.EVENTUAL);
        BsonDocument every = new BsonDocument("_id", new BsonInt32(1)).append("v", BsonStructureTest.EVERY_TYPE);
        write("types", MongoWrite.put(every));
        assertThat(find("types", "{'v.e': 1}").toString()).isEqualTo(new BsonArray(List.of(every)).toString());
    }

    @Test
    void bytesThatAreNoWritesAreRefused() {
        BsonDocument text = new BsonDocument("kind", new BsonString("PUT"))
                .append("document", new BsonDocument("_id", new BsonString("invalid")));
        byte[] bson = BsonRows.encode(text);
        int at = new String(bson, StandardCharsets.ISO_8859_1).indexOf("invalid");
        bson[at] = (byte) 0xC3;
        refuses(ErrorCode.INVALID_ROW, "no UTF-8", () -> MongoWrite.CODEC.decode(row(bson)));
        refuses(
                ErrorCode.INVALID_ROW,
                "no write",
                () -> MongoWrite.CODEC.decode(row(BsonRows.encode(document("{kind: 'DROP'}")))));
    }

    private static Bytes row(byte[] bson) {
        BinaryWriter out = new BinaryWriter();
        out.writeBytes(Bytes.wrap(bson));
        return out.toBytes();
    }

    @Test
    void writesOfOneUpdateSeeThoseBefore() {
        create("bulk", ConsistencyLevel.FULLY_SERIALIZABLE);
        run("bulk", """
                {bulkWrite: 'bulk', ops: [
                  {insertOne: {document: {_id: 1, n: 1}}},
                  {insertOne: {document: {_id: 'b', n: 1}}},
                  {updateMany: {filter: {n: 1}, update: {$inc: {n: 10}}}},
                  {insertOne: {document: {_id: 3, n: 1}}},
                  {replaceOne: {filter: {_id: 1.0}, replacement: {n: 7}}},
                  {updateOne: {filter: {_id: 4}, update: {$set: {n: 11}}, upsert: true}},
                  {deleteMany: {filter: {n: 11}}},
                  {updateOne: {filter: {_id: 9}, update: {$set: {n: 1}}}}]}""");
        assertThat(find("bulk", "{}")).isEqualTo(value("[{_id: 1, n: 7}, {_id: 3, n: 1}]"));
        refuses(
                ErrorCode.CONFLICT,
                "DuplicateKey",
                () -> run("bulk", "{insert: 'bulk', documents: [{_id: 8}, {_id: 9}, {_id: 3.0}]}"));
        refuses(
                ErrorCode.UPDATE_REFUSED,
                "non-numeric",
                () -> run(
                        "bulk",
                        "{bulkWrite: 'bulk', ops: [{updateMany: {filter: {}, update: {$set: {n: 'x'}}}},"
                                + " {updateOne: {filter: {_id: 3}, update: {$inc: {n: 1}}}}]}"));
        assertThat(find("bulk", "{}"))
                .as("a refused update changes nothing")
                .isEqualTo(value("[{_id: 1, n: 7}, {_id: 3, n: 1}]"));
        run("bulk", "{delete: 'bulk', deletes: [{q: {_id: 1, n: 8}, limit: 1}, {q: {_id: 3, n: 1}, limit: 1}]}");
        assertThat(find("bulk", "{}")).isEqualTo(value("[{_id: 1, n: 7}]"));
    }

    @Test
    void updatesByStagesAndArrayFilters() {
        create("stages", ConsistencyLevel.EVENTUAL);
        run("stages", "{insert: 'stages', documents: [{_id: 1, a: 2, l: [1, 5]}, {_id: 2, a: 3, l: [7]}]}");
        run(
                "stages",
                "{update: 'stages', updates: [{q: {a: {$gt: 2}}, u: [{$addFields: {b: {$add: ['$a', 1]}}}], multi: true}]}");
        run("stages", "{update: 'stages', updates: [{q: {_id: 7, a: 5}, u: [{$addFields: {c: '$a'}}], upsert: true}]}");
        run(
                "stages",
                "{update: 'stages', updates: [{q: {l: {$type: 'array'}}, u: {$inc: {'l.$[x]': 1}}, multi: true, arrayFilters: [{x: {$gt: 4}}]}]}");
        assertThat(find("stages", "{_id: {$in: [1, 2]}}"))
                .isEqualTo(value("[{_id: 1, a: 2, l: [1, 6]}, {_id: 2, a: 3, l: [8], b: 4}]"));
        assertThat(find("stages", "{_id: 7}")).isEqualTo(value("[{_id: 7, a: 5, c: 5}]"));
        refuses(
                ErrorCode.UNSUPPORTED,
                "InvalidOptions 72",
                () -> run("stages", "{update: 'stages', updates: [{q: {_id: 1}, u: [{$unwind: '$l'}]}]}"));
        run("stages", "{update: 'stages', updates: [{q: {_id: 1}, u: {l: [], a: 2}}]}");
        assertThat(((BsonDocument) find("stages", "{_id: 1}").get(0)).keySet())
                .as("an order of fields alone is a change")
                .containsExactly("_id", "l", "a");
        run("stages", "{update: 'stages', updates: [{q: {_id: 1}, u: {a: 2, l: []}}]}");
        assertThat(((BsonDocument) find("stages", "{_id: 1}").get(0)).keySet()).containsExactly("_id", "a", "l");
    }

    @Test
    void outAndMergeAreOneUpdate() {
        create("target", ConsistencyLevel.FULLY_SERIALIZABLE);
        List<BsonDocument> results = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            results.add(document("{_id: 'g" + i + "', n: " + i + "}"));
        }
        replaces(results);
        assertThat(find("target", "{}")).hasSize(8);
        replaces(results.subList(0, 2));
        assertThat(find("target", "{}")).isEqualTo(value("[{_id: 'g0', n: 0}, {_id: 'g1', n: 1}]"));
        List<BsonDocument> other = List.of(document("{_id: 'g1', m: 5}"), document("{_id: 'g9', m: 6}"));
        writes("target", WriteCommand.merge(other, "merge", "discard")).run().orThrow();
        assertThat(find("target", "{}")).isEqualTo(value("[{_id: 'g0', n: 0}, {_id: 'g1', n: 1, m: 5}]"));
        writes("target", WriteCommand.merge(other, "keepExisting", "insert"))
                .run()
                .orThrow();
        assertThat(find("target", "{}"))
                .isEqualTo(value("[{_id: 'g0', n: 0}, {_id: 'g1', n: 1, m: 5}, {_id: 'g9', m: 6}]"));
        assertThatThrownBy(() -> WriteCommand.merge(other, "fail", "discard")).hasMessageContaining("another pair");
        assertThatThrownBy(() -> WriteCommand.merge(List.of(document("{_id: 1, 'a.b': 1}")), "merge", "insert"))
                .hasMessageContaining("which is a path");
        writes("target", WriteCommand.merge(other, "replace", "insert")).run().orThrow();
        assertThat(find("target", "{_id: 'g1'}")).isEqualTo(value("[{_id: 'g1', m: 5}]"));
        refuses(
                ErrorCode.CONFLICT,
                "DuplicateKey",
                () -> writes("target", WriteCommand.merge(other, "fail", "insert"))
                        .run()
                        .orThrow());
    }

    private static void replaces(List<BsonDocument> documents) {
        client.table("target")
                .update(WriteCommand.OUT_FUNCTION, MongoWrite.CODEC, WriteCommand.out(documents))
                .everywhere()
                .run()
                .orThrow();
    }

    @Test
    void anUpdateByFilterLeavesOthersAlone() {
        create("others", ConsistencyLevel.EVENTUAL);
        run(
                "others",
                "{bulkWrite: 'others', ops: [{insertOne: {document: {_id: 1, x: 1}}},"
                        + " {updateMany: {filter: {_id: {$gt: 5}}, update: {$set: {x: 0}}}}]}");
        assertThat(find("others", "{}")).isEqualTo(value("[{_id: 1, x: 1}]"));
        run(
                "others",
                "{update: 'others', updates: [{q: {_id: 2, n: {$gt: 5}}, u: [{$set: {a: 1}}], upsert: true}]}"
                        .replace("$set", "$addFields"));
        assertThat(find("others", "{_id: 2}")).isEqualTo(value("[{_id: 2, a: 1}]"));
        refuses(
                ErrorCode.CONFLICT,
                "duplicate key",
                () -> run(
                        "others",
                        "{update: 'others', updates: [{q: {_id: 2, a: 9}, u: [{$addFields: {a: 1}}], upsert: true}]}"));
        for (String id : List.of("1", "2", "{$add: ['$_id', 1]}")) {
            refuses(
                    ErrorCode.INVALID_ROW,
                    "ImmutableField",
                    () -> run(
                            "others",
                            "{update: 'others', updates: [{q: {}, u: [{$addFields: {_id: " + id
                                    + "}}], multi: true}]}"));
        }
        assertThat(find("others", "{}")).isEqualTo(value("[{_id: 1, x: 1}, {_id: 2, a: 1}]"));
    }

    @Test
    void valuesThatTheEmbeddedServerChangesAreRefused() {
        create("changed", ConsistencyLevel.EVENTUAL);
        List<String> values = List.of(
                "{$binary: {base64: 'AQI=', subType: '05'}}",
                "{$binary: {base64: 'AQI=', subType: '80'}}",
                "{$binary: {base64: 'AQI=', subType: '04'}}",
                "{$undefined: true}",
                "{$symbol: 'a'}",
                "[{a: {$symbol: 'a'}}]");
        for (String each : values) {
            refuses(
                    ErrorCode.INVALID_ROW,
                    "embedded server",
                    () -> write("changed", MongoWrite.put(document("{_id: 1, v: " + each + "}"))));
        }
        for (String id : List.of(
                "{$numberDecimal: '0.1'}", "{$numberLong: '9007199254740993'}", "{a: [{$numberDecimal: '1E-400'}]}")) {
            refuses(
                    ErrorCode.INVALID_ROW,
                    "equal to others",
                    () -> write("changed", MongoWrite.put(document("{_id: " + id + "}"))));
        }
        refuses(
                ErrorCode.INVALID_ROW,
                "empty timestamp",
                () -> write("changed", MongoWrite.put(document("{_id: 1, v: {$timestamp: {t: 0, i: 0}}}"))));
        BsonDocument uuid = document("{_id: {$uuid: '00112233-4455-6677-8899-aabbccddeeff'}}");
        write("changed", MongoWrite.put(uuid));
        assertThat(find("changed", "{}")).isEqualTo(new BsonArray(List.of(uuid)));
    }

    @Test
    void commandsNameTheirFault() {
        Map<String, String> faults = new LinkedHashMap<>();
        faults.put("{insert: 'u', documents: []}", "INVALID_ROW: MongoDB: command insert names collection");
        faults.put("{}", "UNSUPPORTED: MongoDB: command without a name");
        faults.put(
                "{bulkWrite: 't', ops: [{deleteMany: {q: {n: 1}}}]}", "UNSUPPORTED: MongoDB: field 'q' of a statement");
        faults.put("{bulkWrite: 't', ops: [{deleteMany: {}}]}", "INVALID_ROW: MongoDB: field 'filter' of a write");
        faults.put(
                "{bulkWrite: 't', ops: [{deleteMany: {filter: {}}, x: {}}]}", "UNSUPPORTED: MongoDB: an operation of");
        faults.put("{drop: 't'}", "UNSUPPORTED: MongoDB: command drop");
        faults.put("{insert: 't'}", "INVALID_ARGUMENT: MongoDB: documents must be an array");
        faults.put("{insert: 't', documents: [], collation: {}}", "UNSUPPORTED: MongoDB: field 'collation'");
        faults.put(
                "{update: 't', updates: [{q: {n: 1}, u: {}}]}",
                "INVALID_ROW: MongoDB: a write of one document has no _id");
        faults.put(
                "{update: 't', updates: [{q: {_id: {$gt: 1}}, u: {}}]}",
                "INVALID_ROW: MongoDB: a write of one document");
        faults.put(
                "{update: 't', updates: [{q: {}, u: {}, multi: true, upsert: true}]}",
                "UNSUPPORTED: MongoDB: upsert of many");
        faults.put("{update: 't', updates: [{q: {}, u: 1, multi: true}]}", "INVALID_ROW: MongoDB: field 'u'");
        faults.put("{update: 't', updates: [{q: {}, u: {}, multi: 1}]}", "INVALID_ROW: MongoDB: field 'multi'");
        faults.put("{update: 't', updates: [{q: {}, u: {}, hint: 'x'}]}", "UNSUPPORTED: MongoDB: field 'hint'");
        faults.put("{delete: 't', deletes: [{q: {}}]}", "INVALID_ROW: MongoDB: field 'limit'");
        faults.put(
                "{bulkWrite: 't', ops: [{drop: {}}]}",
                "UNSUPPORTED: MongoDB: an operation of bulkWrite with the fields [drop]");
        faults.forEach((command, fault) -> assertThatThrownBy(() -> WriteCommand.parse("t", document(command)))
                .as(command)
                .hasMessageStartingWith(fault));
    }
}
