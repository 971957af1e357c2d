package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.Document;
import io.uniserve.api.plan.Answer;
import io.uniserve.client.QuerySession;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.ProcessClusterOptions;
import io.uniserve.testkit.solr.SearchQueryGenerator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Queries of several rounds, and sessions, during updates. Each update rewrites all documents with its own generation. An actor's part of
 * it is one log entry, so in one state of an actor all its documents are of one generation.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SolrSessionsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int DOCUMENTS = 60;
    private static final int ACTORS = 3;
    private static final int QUERIES = 60;

    private StartedCluster cluster;
    private UniserveClient client;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicInteger generations = new AtomicInteger();
    private CompletableFuture<Void> updates = CompletableFuture.completedFuture(null);

    @BeforeAll
    void start(@TempDir Path directory) {
        cluster = StartedCluster.start(ProcessClusterOptions.of(directory, 2, "solr"));
        client = cluster.client();
        client.admin()
                .createTable(TableSpec.named("docs").port("solr").hash(ACTORS).replicas(2));
        rewrite();
        updates = CompletableFuture.runAsync(() -> {
            while (!stop.get()) {
                rewrite();
            }
        });
    }

    @AfterAll
    void close() {
        stop.set(true);
        updates.join();
        cluster.close();
    }

    /** Every word of a document changes with the generation, and so does its place in the order. */
    private void rewrite() {
        int generation = generations.incrementAndGet();
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            rows.add(new Document(
                    "id",
                    Map.of(
                            "id",
                            "d" + i,
                            "text",
                            "word g" + generation,
                            "g_i",
                            (long) generation,
                            "rank_i",
                            (long) (i * 31 + generation * 17) % 1_009,
                            "g_s",
                            "g" + generation,
                            "part_s",
                            "p" + i % 7)));
        }
        client.table("docs").update("solr.add@1", Document.CODEC, rows).run().orThrow();
    }

    @Test
    void whatIsFetchedIsWhatWasFoundAndCounted() {
        int from = generations.get();
        for (int i = 0; i < QUERIES; i++) {
            Map<String, Object> answer = answer(client.query(
                            "docs",
                            "q=text:word&sort=rank_i asc&rows=100&fl=id,g_i,g_s,rank_i&facet=true&facet.field=g_s"
                                    + "&facet.limit=2&facet.mincount=1&stats=true&stats.field=g_i")
                    .body()
                    .utf8());
            List<Map<String, Object>> documents = documents(answer);
            assertThat(documents).hasSize(DOCUMENTS);
            assertThat(documents).isSortedAccordingTo((a, b) -> Long.compare(number(a, "rank_i"), number(b, "rank_i")));
            Map<String, Long> counts = new HashMap<>();
            documents.forEach(document -> {
                assertThat(document.get("g_s")).isEqualTo("g" + number(document, "g_i"));
                counts.merge(String.valueOf(document.get("g_s")), 1L, Long::sum);
            });
            assertThat(counts).as("at most one generation an actor").hasSizeBetween(1, ACTORS);
            facets(answer).forEach((generation, count) -> assertThat(counts).containsEntry(generation, count));
            long sum = documents.stream()
                    .mapToLong(document -> number(document, "g_i"))
                    .sum();
            assertThat(sum(answer)).isEqualTo((double) sum);
        }
        assertThat(generations.get()).as("updates ran meanwhile").isGreaterThan(from);
        await().untilAsserted(() -> assertThat(generations.get()).isGreaterThan(from + 1));
    }

    @Test
    void pagesOfASessionAreOfOneState() {
        for (int i = 0; i < 5; i++) {
            int from = generations.get();
            try (QuerySession session = client.table("docs").session(Duration.ofMinutes(1))) {
                List<Map<String, Object>> all =
                        documents(answer(session.query("q=*:*&sort=rank_i asc&rows=100&fl=id,g_i")
                                .body()
                                .utf8()));
                await().until(() -> generations.get() > from + 2);
                List<Map<String, Object>> pages = new ArrayList<>();
                String mark = "*";
                for (String last = ""; !last.equals(mark); ) {
                    last = mark;
                    String cursor = "&cursorMark=" + SearchQueryGenerator.escape(mark);
                    Answer answer = session.query("q=*:*&sort=rank_i asc,id asc&rows=7&fl=id,g_i" + cursor);
                    Map<String, Object> page = answer(answer.body().utf8());
                    pages.addAll(documents(page));
                    mark = String.valueOf(page.get("nextCursorMark"));
                }
                assertThat(pages).hasSize(DOCUMENTS).containsExactlyInAnyOrderElementsOf(all);
                assertThat(new TreeSet<>(pages.stream()
                                .map(one -> String.valueOf(one.get("id")))
                                .toList()))
                        .hasSize(DOCUMENTS);
            }
        }
    }

    @Test
    void aClosedSessionAnswersNoMore() {
        QuerySession session = client.table("docs").session(Duration.ofMinutes(1));
        assertThat(session.query("q=*:*&rows=0").body().utf8()).contains("\"numFound\":" + DOCUMENTS);
        session.close();
        session.close();
        assertThatThrownBy(() -> session.query("q=*:*"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.VERSION_GONE));
    }

    @Test
    void aQueryOfOneActorIsOneRequest() {
        Answer answer = client.table("docs").key("d1").query("q=text:word&rows=100&fl=id");
        Answer.Effort effort = answer.effort();
        assertThat(effort.requests() - effort.retries() - effort.hedges()).isEqualTo(1);
        List<String> ids = documents(answer(answer.body().utf8())).stream()
                .map(one -> String.valueOf(one.get("id")))
                .toList();
        assertThat(ids).contains("d1").hasSizeLessThan(DOCUMENTS);
        assertThat(number(
                        map(
                                answer(client.table("docs")
                                        .actors(List.of(0, 1, 2))
                                        .query("q=text:word&rows=0")
                                        .body()
                                        .utf8()),
                                "response"),
                        "numFound"))
                .isEqualTo(DOCUMENTS);
    }

    private static Map<String, Object> answer(String json) {
        try {
            return JSON.readValue(json, new TypeReference<>() {});
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }

    @SuppressWarnings("unchecked") // JSON objects have texts for names
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static Map<String, Object> map(Map<String, Object> from, String name) {
        Object value = from.get(name);
        assertThat(value).as(name).isNotNull();
        return map(Objects.requireNonNull(value));
    }

    private static List<Map<String, Object>> documents(Map<String, Object> answer) {
        List<Map<String, Object>> documents = new ArrayList<>();
        for (Object one :
                (List<?>) Objects.requireNonNull(map(answer, "response").get("docs"))) {
            documents.add(map(Objects.requireNonNull(one)));
        }
        return documents;
    }

    private static long number(Map<String, Object> document, String field) {
        return ((Number) Objects.requireNonNull(document.get(field))).longValue();
    }

    private static Map<String, Long> facets(Map<String, Object> answer) {
        List<?> pairs = (List<?>) Objects.requireNonNull(
                map(map(answer, "facet_counts"), "facet_fields").get("g_s"));
        Map<String, Long> counts = new HashMap<>();
        for (int i = 0; i < pairs.size(); i += 2) {
            counts.put(String.valueOf(pairs.get(i)), ((Number) pairs.get(i + 1)).longValue());
        }
        return counts;
    }

    private static double sum(Map<String, Object> answer) {
        Map<String, Object> field = map(map(map(answer, "stats"), "stats_fields"), "g_i");
        return ((Number) Objects.requireNonNull(field.get("sum"))).doubleValue();
    }
}
