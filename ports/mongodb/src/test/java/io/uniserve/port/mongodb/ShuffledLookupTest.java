package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Look-ups whose tables are shuffled: too large for a broadcast, under updates, and what is refused. */
class ShuffledLookupTest {
    private static final int KEYS = 40;

    @TempDir
    static Path directory;

    private static LocalCluster cluster;
    private static UniserveClient client;

    @BeforeAll
    static void start() {
        cluster = MongoFixtures.cluster(MongoFixtures.EMBEDDED, directory)
                .servers(2)
                .start();
        client = MongoFixtures.connect(cluster);
    }

    @AfterAll
    static void stop() {
        client.close();
        cluster.close();
    }

    private static void create(String table, int actors, ConsistencyLevel level) {
        client.admin()
                .createTable(TableSpec.named(table)
                        .port("mongodb")
                        .keyField("_id")
                        .hash(actors)
                        .replicas(1)
                        .level(level));
    }

    private static void put(String table, List<Document> rows) {
        client.table(table).update("mongodb.put@1", Document.CODEC, rows).run().orThrow();
    }

    private static List<BsonValue> answer(String table, String pipeline, String more) {
        String command = "{aggregate: '" + table + "', cursor: {}, pipeline: [" + pipeline + "]" + more + "}";
        return BsonDocument.parse(client.query(table, command).body().utf8())
                .getDocument("cursor")
                .getArray("firstBatch")
                .getValues();
    }

    /** The actor of the other table has 18 MiB of documents, and answers have at most 16 MiB. */
    @Test
    void tablesThatAreTooLargeToBeSentAreShuffled() {
        create("orders", 3, ConsistencyLevel.EVENTUAL);
        create("parcels", 1, ConsistencyLevel.EVENTUAL);
        String large = "x".repeat(2 << 20);
        for (long id = 0; id < 9; id++) {
            put("parcels", List.of(new Document("_id", Map.of("_id", id, "order", id % 3, "text", large))));
        }
        put(
                "orders",
                LongStream.range(0, 20)
                        .mapToObj(id -> new Document("_id", Map.of("_id", id)))
                        .toList());
        String count = "{$unwind: '$p'}, {$group: {_id: '$_id', n: {$sum: 1}}}, {$sort: {_id: 1}}, {$limit: 3}";
        String lookup = "{$lookup: {from: 'parcels', localField: '_id', foreignField: 'order', as: 'p'}}, ";
        assertThat(answer("orders", lookup + count, ""))
                .containsExactlyElementsOf(documents("{_id: 0, n: 3}, {_id: 1, n: 3}, {_id: 2, n: 3}"));
        assertThatThrownBy(() -> answer("orders", "{$sort: {_id: 1}}, " + lookup + count, ""))
                .hasMessageContaining("bytes");
    }

    private static List<BsonValue> documents(String all) {
        return BsonDocument.parse("{d: [" + all + "]}").getArray("d").getValues();
    }

    /** Every update moves all values by one, so in any one version each document joins itself and no other. */
    @Test
    void bothSidesAreOfOneSnapshot() {
        create("moving", 3, ConsistencyLevel.FULLY_SERIALIZABLE);
        AtomicBoolean over = new AtomicBoolean();
        put("moving", moved(0));
        CompletableFuture<Integer> updates = CompletableFuture.supplyAsync(() -> {
            int version = 0;
            while (!over.get()) {
                put("moving", moved(++version));
            }
            return version;
        });
        String pipeline = "{$lookup: {from: 'moving', localField: 'k', foreignField: 'k', as: 'j'}},"
                + " {$project: {n: {$size: '$j'}}}, {$match: {n: 1}}, {$count: 'n'}";
        for (int i = 0; i < 20; i++) {
            assertThat(answer("moving", pipeline, ", '$shuffle': true")).isEqualTo(documents("{n: " + KEYS + "}"));
        }
        over.set(true);
        assertThat(updates.join()).isPositive();
    }

    private static List<Document> moved(int version) {
        return LongStream.range(0, KEYS)
                .mapToObj(id -> new Document("_id", Map.of("_id", id, "k", id + version)))
                .toList();
    }

    @Test
    void whatCannotBeShuffledIsRefused() {
        create("t", 2, ConsistencyLevel.EVENTUAL);
        put("t", moved(0));
        String lookup = "{$lookup: {from: 't', localField: 'k', foreignField: 'k', as: 'j'}}";
        for (String pipeline : List.of(
                "",
                "{$match: {k: 1}}",
                "{$sort: {k: 1}}, " + lookup,
                lookup.replace("localField: 'k'", "localField: 'k.0'"),
                lookup.replace("as: 'j'", "as: 'j', pipeline: []"))) {
            assertThatThrownBy(() -> answer("t", pipeline, ", '$shuffle': true"))
                    .as(pipeline)
                    .hasMessageContaining("$shuffle");
        }
        assertThatThrownBy(() -> answer("t", lookup, ", '$shuffle': 1")).hasMessageContaining("'$shuffle' must be");
        assertThatThrownBy(() -> answer("t", lookup.replace("from: 't'", "from: 'none'"), ", '$shuffle': true"))
                .hasMessageContaining("none");
        assertThat(answer("t", lookup + ", {$count: 'n'}", ", '$shuffle': false"))
                .isEqualTo(documents("{n: " + KEYS + "}"));
    }
}
