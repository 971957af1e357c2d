package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvEngine;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queries and updates of the manual's page on the port {@code kv}. */
@Timeout(120)
class KvPageTest {
    @Test
    void queriesAndUpdatesAreAsTheManualHasThem() {
        try (LocalCluster cluster =
                LocalCluster.builder().servers(1).engine(new KvEngine()).start()) {
            UniserveClient client = cluster.client();
            ClientTable table = table(client, "words");
            put(
                    table,
                    "kv.put@1",
                    Map.of("id", "apple", "n", 3L),
                    Map.of("id", "apron", "n", 4L),
                    Map.of("id", 5L, "n", 1L));
            put(table, "kv.add@1", Map.of("id", "visits", "amount", 2L));
            put(table, "kv.add@1", Map.of("id", "visits", "amount", 3L));
            put(table, "kv.append@1", Map.of("id", "log", "value", "a"));
            put(table, "kv.append@1", Map.of("id", "log", "value", "b"));

            assertThat(ask(client, "get visits")).contains("\"amount\":5");
            assertThat(ask(client, "get log")).contains("\"values\":[\"a\",\"b\"]");
            assertThat(ask(client, "get pear")).isEqualTo("null");
            assertThat(ask(client, "get 5")).isEqualTo("null");
            assertThat(ask(client, "count")).isEqualTo("{\"count\":5}");
            assertThat(ask(client, "count ap")).isEqualTo("{\"count\":2}");
            assertThat(ask(client, "sum n")).isEqualTo("{\"sum\":8}");
            assertThat(ask(client, "scan 1 ap")).contains("apple").doesNotContain("apron");

            put(table, "kv.delete@1", Map.of("id", "apple"));
            assertThat(ask(client, "get apple")).isEqualTo("null");
        }
    }

    @Test
    void aSumBeyond64BitsIsAnErrorAndNotASmallNumber() {
        try (LocalCluster cluster =
                LocalCluster.builder().servers(1).engine(new KvEngine()).start()) {
            UniserveClient client = cluster.client();
            ClientTable table = table(client, "words");
            put(table, "kv.put@1", Map.of("id", "a", "n", Long.MAX_VALUE));
            assertThat(ask(client, "sum n")).isEqualTo("{\"sum\":" + Long.MAX_VALUE + "}");
            for (int i = 0; i < 4; i++) {
                put(table, "kv.put@1", Map.of("id", "k" + i, "n", 1L));
                assertThatThrownBy(() -> ask(client, "sum n"))
                        .isInstanceOfSatisfying(
                                UniserveException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
            }
        }
    }

    private static ClientTable table(UniserveClient client, String name) {
        client.admin()
                .createTable(TableSpec.named(name).port(KvEngine.NAME).hash(4).replicas(1));
        return client.table(name);
    }

    @SafeVarargs
    private static void put(ClientTable table, String function, Map<String, Object>... rows) {
        table.updateDocuments(function, List.of(rows)).run().orThrow();
    }

    private static String ask(UniserveClient client, String text) {
        return client.query("words", text).body().utf8();
    }
}
