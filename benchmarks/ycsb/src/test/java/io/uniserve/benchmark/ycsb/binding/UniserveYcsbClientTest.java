package io.uniserve.benchmark.ycsb.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.client.TableSpec;
import io.uniserve.port.duckdb.DuckEngine;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.lucene.LuceneEngine;
import io.uniserve.port.mongodb.MongoEngine;
import io.uniserve.testkit.cluster.LocalCluster;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import site.ycsb.measurements.Measurements;

/** The binding on a cluster in this process: every call, on every port. */
class UniserveYcsbClientTest {
    private static final int ROWS = 30;
    private static LocalCluster cluster;

    @BeforeAll
    static void start() {
        Measurements.setProperties(new Properties());
        cluster = LocalCluster.builder()
                .servers(2)
                .engine(new KvEngine())
                .engine(new MongoEngine())
                .engine(new DuckEngine())
                .engine(new LuceneEngine())
                .start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static UniserveYcsbClient client(String table, String engine, String... more) throws DBException {
        Properties properties = new Properties();
        properties.setProperty("uniserve.bootstrap", String.join(",", cluster.bootstrap()));
        properties.setProperty("uniserve.engine", engine);
        properties.setProperty("uniserve.actors", "3");
        properties.setProperty("fieldcount", "2");
        properties.setProperty("recordcount", Integer.toString(ROWS));
        properties.setProperty("table", table);
        for (int i = 0; i < more.length; i += 2) {
            properties.setProperty(more[i], more[i + 1]);
        }
        UniserveYcsbClient client = new UniserveYcsbClient();
        client.setProperties(properties);
        client.init();
        return client;
    }

    private static Map<String, ByteIterator> values(String... pairs) {
        Map<String, ByteIterator> values = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put(pairs[i], new StringByteIterator(pairs[i + 1]));
        }
        return values;
    }

    private static Map<String, String> texts(Map<String, ByteIterator> values) {
        Map<String, String> texts = new HashMap<>();
        values.forEach((name, value) -> texts.put(name, value.toString()));
        return texts;
    }

    private static Map<String, String> read(UniserveYcsbClient client, String key, Set<String> fields) {
        Map<String, ByteIterator> found = new HashMap<>();
        assertThat(client.read("", key, fields, found)).isEqualTo(Status.OK);
        return texts(found);
    }

    @ParameterizedTest
    @CsvSource({
        "kv, hash",
        "mongodb, hash",
        "duckdb, hash",
        "lucene, hash",
        "kv, range",
        "mongodb, range",
        "duckdb, range"
    })
    void everyCallDoesWhatItSays(String engine, String partition) throws DBException {
        UniserveYcsbClient client =
                client(engine + "-" + partition, engine, "uniserve.partition", partition, "insertorder", "ordered");
        for (int i = 10; i < 10 + ROWS; i++) {
            assertThat(client.insert("", "user" + i, values("field0", "a\"" + i, "field1", "b'" + i)))
                    .isEqualTo(Status.OK);
        }
        assertThat(read(client, "user17", Set.of("field0", "field1")))
                .isEqualTo(Map.of("field0", "a\"17", "field1", "b'17"));
        assertThat(client.update("", "user17", values("field1", "new"))).isEqualTo(Status.OK);
        assertThat(read(client, "user17", Set.of("field0", "field1")))
                .isEqualTo(Map.of("field0", "a\"17", "field1", "new"));
        assertThat(read(client, "user17", Set.of("field1"))).isEqualTo(Map.of("field1", "new"));
        scans(client, !engine.equals("lucene") && !(engine.equals("kv") && partition.equals("range")));
        assertThat(client.delete("", "user17")).isEqualTo(Status.OK);
        assertThat(client.read("", "user17", Set.of("field0"), new HashMap<>())).isEqualTo(Status.NOT_FOUND);
        client.cleanup();
    }

    private static void scans(UniserveYcsbClient client, boolean supported) {
        Vector<HashMap<String, ByteIterator>> rows = new Vector<>();
        Status status = client.scan("", "user20", 5, Set.of("field0"), rows);
        if (supported) {
            assertThat(status).isEqualTo(Status.OK);
            assertThat(rows)
                    .extracting(UniserveYcsbClientTest::texts)
                    .containsExactly(
                            Map.of("field0", "a\"20"),
                            Map.of("field0", "a\"21"),
                            Map.of("field0", "a\"22"),
                            Map.of("field0", "a\"23"),
                            Map.of("field0", "a\"24"));
        } else {
            assertThat(status).isEqualTo(Status.NOT_IMPLEMENTED);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kv", "mongodb", "duckdb", "lucene"})
    void insertsOfALoadAreBatched(String engine) throws DBException {
        UniserveYcsbClient client = client("batched-" + engine, engine, "uniserve.batch", "20");
        for (int i = 0; i < ROWS; i++) {
            Status status = client.insert("", "user" + i, values("field0", "a", "field1", "b"));
            assertThat(status).isEqualTo(i == 19 ? Status.OK : Status.BATCHED_OK);
        }
        assertThat(client.read("", "user25", Set.of("field0"), new HashMap<>())).isEqualTo(Status.NOT_FOUND);
        client.cleanup();
        UniserveYcsbClient other = client("batched-" + engine, "");
        assertThat(read(other, "user25", Set.of("field0"))).isEqualTo(Map.of("field0", "a"));
        other.cleanup();
    }

    @Test
    void aMissingTableAndAWrongKeyAreNamed() {
        assertThatThrownBy(() -> client("nothing", ""))
                .isInstanceOf(DBException.class)
                .hasMessageContaining("table nothing does not exist")
                .hasMessageContaining("-p uniserve.engine=kv");
        cluster.client()
                .admin()
                .createTable(TableSpec.named("othered").port("kv").keyField("name"));
        assertThatThrownBy(() -> client("othered", "kv"))
                .isInstanceOf(DBException.class)
                .hasMessageContaining("has the key field name, and the binding needs id");
    }
}
