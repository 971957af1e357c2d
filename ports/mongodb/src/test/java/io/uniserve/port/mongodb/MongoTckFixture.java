package io.uniserve.port.mongodb;

import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.mongodb.pipeline.SplitPipeline;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import io.uniserve.testkit.tck.PortFixture;
import io.uniserve.testkit.tck.TckQuery;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonDocument;

/** Table, rows and queries of the contract's suites. */
final class MongoTckFixture implements PortFixture {
    private final Supplier<Map<String, String>> settings;

    /** @param settings the engine's settings; the supplier may skip the suite */
    MongoTckFixture(Supplier<Map<String, String>> settings) {
        this.settings = settings;
    }

    @Override
    public Map<String, String> settings() {
        return settings.get();
    }

    @Override
    public Engine engine() {
        return new MongoEngine();
    }

    @Override
    public TableMeta meta() {
        return new TableMeta(
                new TableName("tck"),
                1,
                new Partitioner.Hash(1),
                "_id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "mongodb",
                Map.of("indexes", "[{\"n\": 1, \"t\": -1}]"));
    }

    @Override
    public String upsert() {
        return "mongodb.put@1";
    }

    @Override
    public Document row(int i) {
        return row("d" + i, i);
    }

    @Override
    public Document changedRow(int i) {
        return row("d" + i, 1_000_000L + i);
    }

    @Override
    public Document unicodeRow() {
        return row("k-é-日本-😀 \"quotes\" 'more'\nbreak", 2);
    }

    @Override
    public List<Document> invalidRows() {
        return List.of(
                new Document("_id", Map.of("n", 5L)),
                new Document("_id", Map.of("_id", "", "n", 1L)),
                new Document("_id", Map.of("_id", 1.5)),
                new Document("_id", Map.of("_id", true)),
                new Document("_id", Map.of("_id", List.of(1L))),
                new Document("_id", Map.of("_id", "a", "$set", 1L)),
                new Document("_id", Map.of("_id", "a", "n", Map.of("$numberDecimal", "one"))),
                new Document("_id", Map.of("_id", "a", "n\0", 1L)));
    }

    @Override
    public List<TckQuery<?, ?>> probes() {
        return Stream.of(
                        "{$count: 'n'}",
                        "{$match: {n: {$gte: 3}}}, {$sort: {_id: 1}}",
                        "{$group: {_id: '$t', s: {$sum: '$n'}, last: {$max: '$_id'}}}, {$sort: {_id: 1}}")
                .map(MongoTckFixture::probe)
                .toList();
    }

    @Override
    public List<String> queries() {
        return List.of(
                "{count: 'tck', query: {n: {$gt: 5}}}",
                "{find: 'tck', sort: {n: -1, _id: 1}, limit: 20}",
                "{find: 'tck', filter: {t: {$in: ['t1', 't2']}}, sort: {_id: 1}, skip: 2, projection: {n: 1}}",
                "{find: 'tck', filter: {_id: 'd3'}}",
                "{distinct: 'tck', key: 't'}",
                "{aggregate: 'tck', cursor: {}, pipeline: [{$group: {_id: '$t', c: {$sum: 1}, a: {$avg: '$n'},"
                        + " all: {$max: '$list'}}}, {$sort: {_id: 1}}]}",
                "{aggregate: 'tck', cursor: {}, pipeline: [{$unwind: '$list'}, {$sortByCount: '$list'},"
                        + " {$sort: {count: -1, _id: 1}}]}");
    }

    @Override
    public Optional<Document> tiedRow(String key) {
        return Optional.of(row(key, 7));
    }

    @Override
    public List<HostileInput> hostileInputs(HostileTargets targets) {
        return MongoHostileInputs.of(targets);
    }

    /** The planner merges; here the larger part replaces the merge. */
    private static TckQuery<?, ?> probe(String stages) {
        List<BsonDocument> parsed = SplitPipeline.documents(
                "stages", BsonDocument.parse("{s: [" + stages + "]}").getArray("s"));
        return new TckQuery<Bytes, BsonRows>(
                MongoEngine.AGGREGATE.id(),
                MongoEngine.encode(parsed, QueryOptions.NONE),
                (query, left, right) ->
                        left.bson().utf8().compareTo(right.bson().utf8()) < 0 ? right : left,
                false);
    }

    private static Document row(String id, long n) {
        return new Document(
                "_id",
                Map.of("_id", id, "n", n, "t", "t" + n % 3, "x", n + 0.5, "list", List.of(n % 2, "a", Map.of("b", n))));
    }
}
