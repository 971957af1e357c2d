package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.Document;
import io.uniserve.api.plan.Answer;
import io.uniserve.client.QuerySession;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessClusterOptions;
import io.uniserve.testkit.solr.SearchQueryGenerator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Answers for Solr's readers when servers are killed by SIGKILL: pages of sessions, and documents by real-time get. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SolrSessionFaultsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PAGED = "paged";
    private static final String GOT = "got";
    private static final List<String> TABLES = List.of(PAGED, GOT);
    private static final int SERVERS = 3;
    private static final int DOCUMENTS = 60;
    private static final int PAGE = 7;
    private static final int UPDATES = 40;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private StartedCluster cluster;
    private UniserveClient client;
    private int generation;

    @BeforeAll
    void start(@TempDir Path directory) {
        cluster = StartedCluster.start(ProcessClusterOptions.of(directory, SERVERS, "solr"));
        client = cluster.client();
        for (String table : TABLES) {
            client.admin()
                    .createTable(TableSpec.named(table).port("solr").hash(6).replicas(2));
        }
    }

    @AfterAll
    void close() {
        cluster.close();
    }

    /** In the next generation every document has another place in the order. */
    private void rewrite() {
        generation++;
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            rows.add(row("d" + i, generation, rank(i, generation)));
        }
        client.table(PAGED).update("solr.add@1", Document.CODEC, rows).run().orThrow();
    }

    private static long rank(int document, int generation) {
        return (document * 31L + generation * 17L) % 61;
    }

    private static Document row(String id, long generation, long rank) {
        return new Document("id", Map.of("id", id, "g_i", generation, "rank_i", rank));
    }

    /** Expected pages of a generation, in sequence. */
    private static List<String> inOrder(int generation) {
        return IntStream.range(0, DOCUMENTS)
                .boxed()
                .sorted(Comparator.comparing((Integer i) -> rank(i, generation)).thenComparing(i -> "d" + i))
                .map(i -> "d" + i + " of " + generation)
                .toList();
    }

    @Test
    void aSessionWhoseServerIsKilledGoesOnInItsStateOrSaysThatItIsGone() {
        int gone = 0;
        for (int server = 1; server <= SERVERS; server++) {
            rewrite();
            int held = generation;
            DaemonProcess victim = cluster.processes().daemon("server-" + server);
            List<String> pages = new ArrayList<>();
            try (QuerySession session = client.table(PAGED).session(Duration.ofMinutes(10))) {
                String mark = page(session, "*", pages);
                rewrite();
                assertThat(page(session, "*", new ArrayList<>())).isEqualTo(mark);
                victim.kill();
                try {
                    rest(session, mark, pages);
                    assertThat(pages).hasSize(DOCUMENTS);
                } catch (UniserveException e) {
                    assertThat(e.code()).as("%s", e).isEqualTo(ErrorCode.VERSION_GONE);
                    gone++;
                }
            }
            assertThat(inOrder(held)).startsWith(pages.toArray(String[]::new));
            // Another session finds what was acknowledged before the server was killed.
            try (QuerySession other = client.table(PAGED).session(Duration.ofMinutes(1))) {
                List<String> all = new ArrayList<>();
                rest(other, "*", all);
                assertThat(all).isEqualTo(inOrder(generation));
            }
            assertThat(cluster.processes().daemon(victim.name()).isAlive()).isFalse();
            startAgain(victim.name());
        }
        assertThat(gone).as("sessions that lost a state, of %d", SERVERS).isPositive();
    }

    /** Adds the documents of all further pages. */
    private static void rest(QuerySession session, String mark, List<String> to) {
        String next = mark;
        for (String last = ""; !last.equals(next); ) {
            last = next;
            next = page(session, next, to);
        }
    }

    /** Adds a page's documents; returns the mark of the next one. */
    private static String page(QuerySession session, String mark, List<String> to) {
        String cursor = "&cursorMark=" + SearchQueryGenerator.escape(mark);
        String query = "q=*:*&sort=rank_i asc,id asc&rows=" + PAGE + "&fl=id,g_i" + cursor;
        JsonNode page = parsed(session.query(query).body().utf8());
        for (JsonNode one : page.at("/response/docs")) {
            to.add(one.path("id").asText() + " of " + one.path("g_i").asInt());
        }
        return page.path("nextCursorMark").asText();
    }

    @Test
    void realTimeGetHasWhatWasAcknowledgedJustBefore() {
        write(0, UPDATES);
        DaemonProcess victim = cluster.processes().daemon(cluster.primary(GOT, 0));
        victim.kill();
        write(UPDATES, UPDATES);
        assertThat(cluster.processes().daemon(victim.name()).isAlive()).isFalse();
        startAgain(victim.name());
        write(2 * UPDATES, UPDATES);
    }

    /** Changes and deletes documents of every actor, and reads each immediately: from the table, and from its actor alone. */
    private void write(int from, int count) {
        for (int i = from; i < from + count; i++) {
            String id = "r" + i % 11;
            update("solr.add@1", row(id, i, i));
            assertThat(number(get("qt=/get&id=" + id).at("/doc"), id)).isEqualTo(i);
            JsonNode found = get("qt=/get&ids=nosuch," + id).at("/response/docs");
            assertThat(found).hasSize(1);
            assertThat(number(found.get(0), id)).isEqualTo(i);
            Answer alone = client.table(GOT).key(id).query("qt=/get&id=" + id);
            assertThat(number(parsed(alone.body().utf8()).at("/doc"), id)).isEqualTo(i);
            if (i % 3 == 0) {
                update("solr.delete@1", new Document("id", Map.of("id", id)));
                assertThat(get("qt=/get&id=" + id).path("doc").isNull()).isTrue();
            }
        }
    }

    private void update(String function, Document row) {
        client.table(GOT).update(function, Document.CODEC, List.of(row)).run().orThrow();
    }

    private static long number(JsonNode document, String id) {
        assertThat(document.path("id").asText()).isEqualTo(id);
        return document.path("g_i").asLong(-1);
    }

    private JsonNode get(String query) {
        return parsed(client.query(GOT, query).body().utf8());
    }

    private void startAgain(String server) {
        cluster.processes().startServer(server);
        for (String table : TABLES) {
            await(table + " is in sync").atMost(PATIENCE).until(() -> inSync(table));
        }
    }

    private boolean inSync(String table) {
        List<ActorState> actors = client.admin().describeTable(table).map().actors();
        return actors.stream().allMatch(actor -> actor.isr().size() == 2);
    }

    private static JsonNode parsed(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }
}
