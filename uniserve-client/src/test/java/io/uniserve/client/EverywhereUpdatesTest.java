package io.uniserve.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.api.extra.BroadcastUpdate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Updates that the client sends to every actor, because the table's key field is not the unique key of its rows. */
@Timeout(300)
class EverywhereUpdatesTest {
    private static final int ACTORS = 4;
    private static final Document ROW = new Document("shop", Map.of("id", "a", "shop", "oslo"));
    private static final Document CHANGE =
            new Document("shop", Map.of("id", "a", "shop", "oslo", "n", Map.of("inc", 1L)));

    private final ScriptedCluster cluster = new ScriptedCluster("c1", 3);
    private final UniserveClient client = UniserveClient.builder()
            .bootstrap(cluster.address(1))
            .deadline(Duration.ofMinutes(3))
            .build();

    @BeforeEach
    void offer() {
        cluster.updates = List.of("kv.put@1", "kv.add@1", "kv.add-everywhere@1");
    }

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    private ClientTable table(String name, String key, Map<String, String> options) {
        TableSpec table =
                TableSpec.named(name).port("kv").hash(ACTORS).replicas(2).keyField(key);
        for (Map.Entry<String, String> option : options.entrySet()) {
            table = table.option(option.getKey(), option.getValue());
        }
        client.admin().createTable(table);
        return client.table(name);
    }

    private static int actors(ClientTable table, String function, Document row) {
        return table.update(function, Document.CODEC, List.of(row))
                .run()
                .orThrow()
                .acked()
                .size();
    }

    @Test
    void rowsGoToAllActorsAndChangesOfFieldsToTheirOwn() {
        ClientTable shops = table("shops", "shop", Map.of());
        assertThat(actors(shops, "kv.add@1", ROW)).isEqualTo(ACTORS);
        assertThat(actors(shops, "kv.add-everywhere@1", ROW)).isEqualTo(ACTORS);
        assertThat(actors(shops, "kv.add@1", CHANGE)).isOne();
        assertThat(actors(shops, "kv.put@1", ROW)).isOne();
        int own = client.admin().describeTable("shops").meta().partitioner().actorOf(ROW.partitionKey());
        for (int actor = 0; actor < ACTORS; actor++) {
            assertThat(cluster.rows("shops", actor)).hasSize(actor == own ? 4 : 2);
        }
    }

    @Test
    void tablesKeyedByTheUniqueKeyAreAsTheyWere() {
        Document row = new Document("id", ROW.fields());
        assertThat(actors(table("ids", "id", Map.of()), "kv.add@1", row)).isOne();
        ClientTable told = table("told", "shop", Map.of(BroadcastUpdate.OPTION, "shop"));
        assertThat(actors(told, "kv.add@1", ROW)).isOne();
        ClientTable other = table("other", "id", Map.of(BroadcastUpdate.OPTION, "shop"));
        assertThat(actors(other, "kv.add@1", row)).isEqualTo(ACTORS);
    }

    @Test
    void portsWithoutTheFormAreAskedAsBefore() {
        cluster.updates = List.of("kv.add@1");
        assertThat(actors(table("shops", "shop", Map.of()), "kv.add@1", ROW)).isOne();
    }
}
