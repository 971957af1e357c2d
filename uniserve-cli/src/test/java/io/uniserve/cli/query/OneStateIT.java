package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.Document;
import io.uniserve.client.QuerySession;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import io.uniserve.testkit.solr.AnswerComparator;
import io.uniserve.testkit.solr.SearchQueryGenerator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Between any two rounds of a query documents are added, changed, deleted by id and by query, and all of it is published. Each answer must
 * equal that of a table of one actor, which needs no rounds, in one state: that of the plan's start, or the session's. Real daemons, in
 * this JVM.
 */
@Timeout(600)
class OneStateIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path PORTS =
            Path.of(Objects.requireNonNull(System.getProperty("uniserve.home"))).resolve("ports");
    private static final int ACTORS = 4;
    private static final int DOCUMENTS = 120;

    /** All kinds of queries of several rounds, with a deterministic order. */
    private static final List<String> QUERIES = List.of(
            "q=*:*&rows=5&sort=n_i desc,id asc&fl=*&facet=true&facet.field=words_ss&facet.limit=60",
            "q=text:river&rows=3&sort=id asc&fl=id,n_i&facet=true&facet.field=words_ss&facet.limit=7"
                    + "&facet.mincount=2&facet.sort=index",
            "q=*:*&rows=4&sort=id asc&fl=id,tag_s&facet=true&facet.pivot=part_s,tag_s,even_b&facet.limit=3",
            "q=*:*&rows=4&sort=id asc&fl=*&json.facet={w:{type:terms,field:words_ss,limit:4,refine:true,sort:'s desc',"
                    + "facet:{s:'sum(n_i)',p:{type:terms,field:part_s,limit:2,refine:true}}},u:'hll(tag_s)'}",
            "q=*:*&rows=300&sort=n_i asc,id asc&fl=*",
            "q=text:river&rows=300&sort=id asc&fl=id,text,n_i,d:sum(n_i,1)",
            "q=text:(river law)&rows=300&sort=id asc&fl=id,text&hl=true&hl.fl=text&hl.snippets=2",
            "q=text:law&rows=20&sort=id desc&fl=id,text&hl=true&hl.fl=text&hl.method=original",
            "q=*:*&rows=6&sort=n_i asc,id"
                    + " asc&fl=id,n_i,text&group=true&group.field=part_s&group.limit=3&group.ngroups=true&group.sort=id"
                    + " asc",
            "q=*:*&rows=6&sort=id"
                    + " asc&fl=id,n_i&group=true&group.query=text:river&group.query=even_b:true&group.limit=4",
            "q={!knn f=at_v2 topK=9}[0.3,0.9]&rows=9&fl=id,score,n_i,text",
            "q=*:*&rows=7&sort=id asc&fl=id,n_i&stats=true&stats.field=n_i&stats.field={!tag=p key=most max=true}n_i"
                    + "&facet=true&facet.pivot={!stats=p}part_s&facet.range=n_i&facet.range.start=0&facet.range.end=9000"
                    + "&facet.range.gap=1000",
            "q=*:*&fq={!collapse field=id max=n_i}&rows=9&sort=n_i desc,id asc&fl=id,n_i,text");

    @TempDir
    Path directory;

    private final TestingRounds rounds = new TestingRounds(PortLoader.load(PORTS.resolve("solr"), "solr"));
    /** Answers of one core in each state since the query began, and the current state. */
    private final Map<Integer, String> expected = new TreeMap<>();

    private final AtomicInteger state = new AtomicInteger();
    private LocalCluster cluster;
    private UniserveClient client;

    @BeforeEach
    void start() {
        // One server: there is no hedging, so a query has one plan at a time, even on a slow machine.
        cluster = LocalCluster.builder()
                .servers(1)
                .port(rounds.port())
                .directory(directory)
                .setting("server.stop-grace", "0s")
                .start();
        client = UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .deadline(Duration.ofMinutes(2))
                .build();
    }

    @AfterEach
    void stop() {
        rounds.listen(new TestingRounds.Listener() {});
        client.close();
        cluster.close();
    }

    private void create(ConsistencyLevel level) {
        client.admin()
                .createTable(TableSpec.named("docs")
                        .port("solr")
                        .hash(ACTORS)
                        .replicas(1)
                        .level(level));
        client.admin().createTable(TableSpec.named("one").port("solr").hash(1).replicas(1));
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            rows.add(document(i, 0));
        }
        update("solr.add@1", rows);
    }

    /** Words, numbers, places and vectors of a document differ per generation. */
    private static Document document(int i, int generation) {
        List<String> words = new ArrayList<>(List.of("both"));
        for (int word = 0; word < 8; word++) {
            words.add("w" + (i * 8 + word) % 700);
        }
        words.add("r" + (i + generation) % 11);
        String text = i % 3 == 0 ? "the law of g" + generation : "a river and the law g" + generation + " of it";
        return new Document(
                "id",
                Map.of(
                        "id",
                        "d%03d".formatted(i),
                        "text",
                        text,
                        "words_ss",
                        words,
                        "tag_s",
                        "t" + (i + generation) % 13,
                        "part_s",
                        "p" + i % 5,
                        "even_b",
                        (i + generation) % 2 == 0,
                        "n_i",
                        (long) (i * 31 + generation * 170) % 7_001,
                        "at_v2",
                        List.of(Math.cos(i + generation), Math.sin(i + generation))));
    }

    /** Updates both tables. */
    private void update(String function, List<Document> rows) {
        for (String table : List.of("docs", "one")) {
            client.table(table).update(function, Document.CODEC, rows).run().orThrow();
        }
    }

    /** Changes everything. On return every actor has published the change. */
    private void change() {
        int generation = state.get() + 1;
        List<Document> rows = new ArrayList<>();
        for (int i = generation % 2; i < DOCUMENTS + generation % 7; i += 2) {
            rows.add(document(i, generation));
        }
        update("solr.add@1", rows);
        List<Document> gone = new ArrayList<>();
        List<Document> changes = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            gone.add(row((i * 13 + generation * 5) % DOCUMENTS, Map.of()));
            changes.add(row((i * 11 + generation) % DOCUMENTS, Map.of("n_i", Map.of("inc", 3L))));
        }
        update("solr.delete@1", gone);
        Document query = new Document("query", Map.of("query", "tag_s:t" + generation % 13));
        for (String table : List.of("docs", "one")) {
            client.table(table)
                    .update("solr.delete-query@1", Document.CODEC, List.of(query))
                    .everywhere()
                    .run()
                    .orThrow();
        }
        update("solr.add@1", changes);
        for (int actor = 0; actor < ACTORS; actor++) {
            client.table("docs").actors(List.of(actor)).query("q=*:*&rows=0");
        }
        state.set(generation);
    }

    private static Document row(int i, Map<String, Object> fields) {
        Map<String, Object> all = new TreeMap<>(fields);
        all.put("id", "d%03d".formatted(i));
        return new Document("id", all);
    }

    /** Returns the current answer of one core. */
    private String whole(String query) {
        return client.query("one", query).body().utf8();
    }

    /** Sends a query and changes everything between its rounds. Compares with one core in the expected state. */
    private void check(String query, UnaryOperator<String> ask, boolean held) {
        AtomicInteger began = new AtomicInteger(state.get());
        AtomicInteger changes = new AtomicInteger();
        expected.clear();
        expected.put(state.get(), whole(query));
        rounds.listen(new TestingRounds.Listener() {
            @Override
            public void begins() {
                if (!held) {
                    began.set(state.get());
                }
            }

            @Override
            public void between() {
                change();
                changes.incrementAndGet();
                expected.put(state.get(), whole(query));
            }
        });
        String answer = ask.apply(query);
        rounds.listen(new TestingRounds.Listener() {});
        assertThat(changes.get()).as("rounds of " + query).isPositive();
        assertThat(expected.values()).as("the query tells states apart").doesNotHaveDuplicates();
        same(query, expected.getOrDefault(began.get(), "none"), answer);
    }

    private static void same(String query, String wanted, String answer) {
        try {
            assertThat(AnswerComparator.firstDifference(
                            query, JSON.readValue(wanted, Map.class), JSON.readValue(answer, Map.class)))
                    .as("%s%n%s%n%s", query, wanted, answer)
                    .isEmpty();
        } catch (JsonProcessingException e) {
            throw new AssertionError(query, e);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ConsistencyLevel.class,
            names = {"EVENTUAL", "FULLY_SERIALIZABLE"})
    void aQueryIsOfOneState(ConsistencyLevel level) {
        create(level);
        for (String query : QUERIES) {
            check(query, text -> client.query("docs", text).body().utf8(), false);
        }
    }

    @Test
    void aSessionIsOfOneState() {
        create(ConsistencyLevel.EVENTUAL);
        for (String query : QUERIES) {
            try (QuerySession session = client.table("docs").session(Duration.ofMinutes(2))) {
                String first = whole(query);
                check(query, text -> session.query(text).body().utf8(), true);
                same(query, first, session.query(query).body().utf8());
            }
        }
    }

    @Test
    void aWalkByCursorInASessionIsOfOneState() {
        create(ConsistencyLevel.EVENTUAL);
        String query = "q=text:law&rows=11&fl=id,n_i,text&sort=n_i asc,id asc&hl=true&hl.fl=text&cursorMark=";
        List<String> pages = new ArrayList<>();
        String last = "";
        for (String mark = "*"; !mark.equals(last); ) {
            pages.add(whole(query + mark));
            last = mark;
            mark = mark(pages.get(pages.size() - 1));
        }
        assertThat(pages).hasSizeGreaterThan(5);
        try (QuerySession session = client.table("docs").session(Duration.ofMinutes(2))) {
            String mark = "*";
            for (String page : pages) {
                change();
                String answer = session.query(query + mark).body().utf8();
                same(query + mark, page, answer);
                mark = mark(answer);
            }
        }
    }

    private static String mark(String answer) {
        try {
            return SearchQueryGenerator.escape(
                    JSON.readTree(answer).path("nextCursorMark").asText());
        } catch (JsonProcessingException e) {
            throw new AssertionError(answer, e);
        }
    }
}
