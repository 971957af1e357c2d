package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.client.QuerySession;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.Routing;
import io.uniserve.port.kv.KvEngine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** EXPLAIN of queries in a language without one of its own, on real servers. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplainTest {
    private LocalCluster cluster;
    private UniserveClient client;
    /** Pattern for either server's name in a line. */
    private String server;

    @BeforeAll
    void start() {
        cluster = LocalCluster.builder().servers(2).engine(new KvEngine()).start();
        client = cluster.client();
        client.admin()
                .createTable(
                        TableSpec.named("words").port(KvEngine.NAME).hash(4).replicas(1));
        client.table("words")
                .updateDocuments(
                        "kv.put@1",
                        IntStream.range(0, 40)
                                .mapToObj(i -> Map.<String, Object>of("id", "k" + i, "n", (long) i))
                                .toList())
                .run()
                .orThrow();
        Routing routing = client.routing();
        server = "(" + routing.servers().get(0).id().value().substring(0, 8) + "|"
                + routing.servers().get(1).id().value().substring(0, 8) + ")";
    }

    @AfterAll
    void close() {
        cluster.close();
    }

    private static List<String> lines(String steps) {
        assertThat(steps).endsWith("\n");
        return steps.lines().toList();
    }

    private String explained(String text) {
        return client.table("words").all().explain(text).body().utf8();
    }

    @Test
    void aQueryOfAllActorsIsOneRetrieve() {
        int bytes = client.query("words", "count").body().size();
        List<String> lines = lines(explained("count"));
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0))
                .matches("retrieve kv\\.count@1 at 4 actors of words; [1-9][0-9]* bytes read of 2 servers \\(" + server
                        + ", " + server + "\\); [0-9.]+ ms");
        assertThat(lines.get(1))
                .matches("answer: " + bytes + " bytes of application/json, on server " + server + "; [0-9.]+ ms");
        assertThat(client.query("words", "count").body().utf8()).isEqualTo("{\"count\":40}");
    }

    @Test
    void aQueryOfOneKeyAsksOneActor() {
        assertThat(lines(explained("get k7")).get(0))
                .matches("retrieve kv\\.get@1 at 1 of 4 actors of words; [1-9][0-9]* bytes read of 1 server \\("
                        + server + "\\); [0-9.]+ ms");
        assertThat(client.table("words").key("k7").explain("count").body().utf8())
                .startsWith("retrieve kv.count@1 at 1 of 4 actors of words; ");
        assertThat(client.table("words")
                        .actors(List.of(0, 1))
                        .explainAsync("count")
                        .toCompletableFuture()
                        .join()
                        .body()
                        .utf8())
                .startsWith("retrieve kv.count@1 at 2 of 4 actors of words; ");
    }

    @Test
    void aQueryOfASessionIsExplainedToo() {
        try (QuerySession session = client.table("words").session(Duration.ofMinutes(1))) {
            assertThat(session.explain("count").body().utf8()).startsWith("retrieve kv.count@1 at 4 actors of words; ");
            assertThat(session.query("count").body().utf8()).isEqualTo("{\"count\":40}");
        }
    }

    @Test
    void whatIsRefusedIsRefusedHereToo() {
        assertThatThrownBy(() -> explained("drop everything"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("unknown query");
        assertThatThrownBy(() -> client.table("nosuch").all().explain("count"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND));
    }
}
