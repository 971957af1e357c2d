package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two replicas of each actor, with replaced documents, after a restart, a move and the end of a server: one answer, complete cursor walks.
 */
class SolrCopiesIT {
    private static final Path PORTS =
            Path.of(Objects.requireNonNull(System.getProperty("uniserve.home"))).resolve("ports");
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String EXACT = "&distrib.statsCache=true";
    private static final String BEST = "q=text:brook&rows=5&fl=id,score";
    private static final String WALK = "q=text:(brook meadow)&rows=4&fl=id&sort=score desc,id asc";
    private static final int CLIENTS = 5;
    private static final int TIMES = 8;
    private static final String[] WORDS = {"brook", "meadow", "fence", "barn", "hill"};
    private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]*)\"");

    @TempDir
    Path directory;

    private LocalCluster cluster;
    private final Set<String> matching = new TreeSet<>();

    @BeforeEach
    void start() {
        cluster = LocalCluster.builder()
                .servers(3)
                .port(PortLoader.load(PORTS.resolve("solr"), "solr"))
                .directory(directory)
                .start();
        cluster.client()
                .admin()
                .deadline(PATIENCE)
                .createTable(TableSpec.named("docs").port("solr").hash(3).replicas(2));
        Random random = new Random(7);
        UniserveClient writer = client();
        for (int round = 0; round < 12; round++) {
            List<Document> rows = new ArrayList<>();
            for (int i = 0; i < 15; i++) {
                rows.add(row("d" + random.nextInt(60), random));
            }
            writer.table("docs")
                    .update("solr.add@1", Document.CODEC, rows)
                    .run()
                    .orThrow();
            ask(writer, BEST); // replicas publish for readers, each at its own time
        }
        writer.close();
    }

    private Document row(String id, Random random) {
        StringBuilder text = new StringBuilder();
        int count = 1 + random.nextInt(9);
        for (int i = 0; i < count; i++) {
            text.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
        }
        matching.remove(id);
        if (text.indexOf("brook") >= 0 || text.indexOf("meadow") >= 0) {
            matching.add(id);
        }
        return new Document("id", Map.of("id", id, "text", text.toString()));
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void answersAndWalksDoNotDependOnTheCopies() {
        oneAnswerEach();
        String exact = ask(cluster.client(), BEST + EXACT);

        cluster.stopAbruptly(3);
        cluster.start(3); // its replicas are rebuilt from checkpoint and log
        await().atMost(PATIENCE).until(() -> inSync(2));
        oneAnswerEach();
        assertThat(ask(cluster.client(), BEST + EXACT)).isEqualTo(exact);

        ActorState moving = actors().get(0);
        ServerId from = moving.isr().get(0);
        ServerId to = List.of(1, 2, 3).stream()
                .map(number -> cluster.server(number).id())
                .filter(id -> !moving.isr().contains(id))
                .findFirst()
                .orElseThrow();
        cluster.client().admin().moveReplica("docs", 0, from.value(), to.value());
        await().atMost(PATIENCE)
                .until(() -> actors().get(0).isr().contains(to)
                        && !actors().get(0).isr().contains(from)
                        && inSync(2));
        oneAnswerEach();
        assertThat(ask(cluster.client(), BEST + EXACT)).isEqualTo(exact);

        List<String> begun = new ArrayList<>();
        String mark = page(cluster.client(), WALK, "*", begun);
        List<String> begunExact = new ArrayList<>();
        String exactMark = page(cluster.client(), WALK + EXACT, "*", begunExact);
        cluster.stopAbruptly(2);
        await().atMost(PATIENCE)
                .until(() -> cluster.client().routing().servers().size() == 2);
        assertThat(ask(cluster.client(), BEST + EXACT)).isEqualTo(exact);
        assertThat(walk(WALK + EXACT, exactMark, begunExact)).isTrue();
        boolean whole = walk(WALK, mark, begun); // or it ended with CURSOR_GONE
        assertThat(begun.size()).isGreaterThanOrEqualTo(whole ? matching.size() : 4);
        assertThat(walk(WALK, "*", new ArrayList<>())).isTrue();
        assertThat(cluster.failures()).isEmpty();
    }

    private List<ActorState> actors() {
        return cluster.client().routing().tables().get(0).map().actors();
    }

    private boolean inSync(int copies) {
        return actors().stream().allMatch(actor -> actor.isr().size() == copies);
    }

    /** Each client has one answer for repeated queries, all clients have the same with exact statistics, and walks find all documents. */
    private void oneAnswerEach() {
        Set<String> exact = new TreeSet<>();
        for (int number = 0; number < CLIENTS; number++) {
            try (UniserveClient client = client()) {
                Set<String> own = new TreeSet<>();
                for (int i = 0; i < TIMES; i++) {
                    own.add(ask(client, BEST));
                    exact.add(ask(client, BEST + EXACT));
                }
                assertThat(own).hasSize(1);
            }
        }
        assertThat(exact).hasSize(1);
        assertThat(walk(WALK, "*", new ArrayList<>())).isTrue();
        assertThat(walk(WALK + EXACT, "*", new ArrayList<>())).isTrue();
    }

    private UniserveClient client() {
        return UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .deadline(PATIENCE)
                .build();
    }

    private static String ask(UniserveClient client, String query) {
        return client.query("docs", query).body().utf8();
    }

    /**
     * Continues a walk, each page by another client, with the documents found so far. Returns true at the end, false if the replicas are
     * gone.
     */
    private boolean walk(String query, String from, List<String> found) {
        String mark = "";
        try {
            for (String next = from; !next.equals(mark); ) {
                mark = next;
                try (UniserveClient client = client()) {
                    next = page(client, query, mark, found);
                }
            }
        } catch (UniserveException e) {
            assertThat(e.code()).as(e.reason()).isEqualTo(ErrorCode.CURSOR_GONE);
            assertThat(found).doesNotHaveDuplicates();
            return false;
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(matching);
        return true;
    }

    private static String page(UniserveClient client, String query, String mark, List<String> found) {
        String answer = ask(client, query + "&cursorMark=" + URLEncoder.encode(mark, StandardCharsets.UTF_8));
        ID.matcher(answer).results().forEach(id -> found.add(id.group(1)));
        Matcher next = Pattern.compile("\"nextCursorMark\":\"([^\"]*)\"").matcher(answer);
        assertThat(next.find()).as(answer).isTrue();
        return next.group(1);
    }
}
