package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tables of Solr with atomic updates on real daemons with a real ZooKeeper, in this JVM. */
@Timeout(180)
class AtomicSolrIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path PORTS =
            Path.of(Objects.requireNonNull(System.getProperty("uniserve.home"))).resolve("ports");
    private static final int DOCUMENTS = 40;
    private static final String QUERY = "q=kind_s:all&rows=3&sort=n_i asc,id"
            + " asc&fl=id,n_i&facet=true&facet.field=tag_s"
            + "&facet.limit=1&facet.mincount=1&stats=true&stats.field=n_i&json.facet={tags:{type:terms,field:tag_s,limit:5}}";

    @TempDir
    Path directory;

    private LocalCluster cluster;
    private UniserveClient client;

    @BeforeEach
    void start() {
        cluster = LocalCluster.builder()
                .servers(2)
                .port(PortLoader.load(PORTS.resolve("solr"), "solr"))
                .directory(directory)
                .setting("server.stop-grace", "0s")
                .start();
        client = cluster.client();
        client.admin()
                .createTable(TableSpec.named("docs")
                        .port("solr")
                        .hash(4)
                        .replicas(2)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE));
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private void update(String function, List<Document> rows) {
        client.table("docs").update(function, Document.CODEC, rows).run().orThrow();
    }

    /** Rows that give all documents, which are on all actors, this number. */
    private static List<Document> version(long number) {
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            Map<String, Object> fields = new HashMap<>(Map.of("id", "d" + i, "tag_s", "t" + number, "kind_s", "all"));
            // Some by an increment, others by a value.
            fields.put("n_i", i % 4 == 0 && number > 1 ? Map.of("inc", 1L) : (Object) number);
            if (i % 4 == 0 && number > 1) {
                fields.put("tag_s", Map.of("set", "t" + number));
            }
            rows.add(new Document("id", fields));
        }
        return rows;
    }

    private JsonNode answer(String query) {
        String json = client.query("docs", query).body().utf8();
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError("no JSON: " + json, e);
        }
    }

    /** Returns the common number of all documents; any other number in the answer is an error. */
    private long read() {
        JsonNode answer = answer(QUERY);
        JsonNode stats = answer.at("/stats/stats_fields/n_i");
        long number = stats.path("min").longValue();
        assertThat(answer.at("/response/numFound").intValue()).as("%s", answer).isEqualTo(DOCUMENTS);
        assertThat(stats.path("max").longValue()).as("%s", answer).isEqualTo(number);
        assertThat(answer.toString())
                .contains("\"tag_s\":[\"t" + number + "\"," + DOCUMENTS + "]")
                .contains("{\"val\":\"t" + number + "\",\"count\":" + DOCUMENTS + "}");
        assertThat(answer.at("/response/docs"))
                .as("%s", answer)
                .hasSize(3)
                .allSatisfy(
                        document -> assertThat(document.path("n_i").longValue()).isEqualTo(number));
        return number;
    }

    @Test
    void everyQuerySeesWholeUpdatesAndWhatWasAcknowledged() {
        update("solr.add@1", version(1));
        Queue<Object> wrong = new ConcurrentLinkedQueue<>();
        AtomicBoolean end = new AtomicBoolean();
        AtomicLong acknowledged = new AtomicLong(1);
        AtomicInteger reads = new AtomicInteger();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            readers.add(CompletableFuture.runAsync(() -> {
                while (!end.get() && wrong.isEmpty()) {
                    try {
                        long before = acknowledged.get();
                        assertThat(read()).isGreaterThanOrEqualTo(before);
                        reads.incrementAndGet();
                    } catch (RuntimeException | AssertionError e) {
                        wrong.add(e);
                    }
                }
            }));
        }
        for (int number = 2; number <= 30 && wrong.isEmpty(); number++) {
            update("solr.add@1", version(number));
            acknowledged.set(number);
        }
        await().until(() -> reads.get() > 10 || !wrong.isEmpty());
        end.set(true);
        readers.forEach(CompletableFuture::join);
        assertThat(wrong).isEmpty();
        assertThat(read()).isEqualTo(30);
    }

    @Test
    void whatOneActorRefusesChangesNoneAndWhatIsCommittedOutlivesServers() {
        update("solr.add@1", version(1));
        List<Document> rows = new ArrayList<>(version(2));
        rows.add(new Document("id", Map.of("id", "x", "n_i", "no number")));
        assertThatThrownBy(() -> update("solr.add@1", rows))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UPDATE_REFUSED))
                .hasMessageContaining("n_i");
        assertThat(read()).isEqualTo(1);
        assertThatThrownBy(() -> client.admin().updateTable("docs", Map.of("configset.later", "x")))
                .hasMessageContaining("UNSUPPORTED")
                .hasMessageContaining("FULLY_SERIALIZABLE");

        client.table("docs")
                .update("solr.delete-query@1", Document.CODEC, List.of(new Document("query", Map.of("query", "n_i:1"))))
                .everywhere()
                .run()
                .orThrow();
        assertThat(answer("q=*:*").at("/response/numFound").intValue()).isZero();
        update("solr.add@1", version(1));
        for (int server = 1; server <= 2; server++) {
            cluster.stopAbruptly(server);
            cluster.start(server);
        }
        assertThat(read()).isEqualTo(1);
        update("solr.add@1", version(2));
        assertThat(read()).isEqualTo(2);
    }
}
