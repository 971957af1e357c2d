package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.Document;
import io.uniserve.cli.bench.text.PlainSolr;
import io.uniserve.cli.demo.EuroparlCorpus;
import io.uniserve.cli.demo.EuroparlDocument;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.testkit.solr.AnswerDifference;
import io.uniserve.testkit.solr.CorpusDocument;
import io.uniserve.testkit.solr.DebianPackages;
import io.uniserve.testkit.solr.FeatureMaker;
import io.uniserve.testkit.solr.QueryMaker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Generated queries of every kind while a server dies by SIGKILL and comes back: every answer of a table of many actors, each
 * on two servers, is that of one core of Apache Solr by itself, and none fails, while the server is dead neither.
 */
class SolrFaultsIT {
    private static final Logger LOG = LoggerFactory.getLogger(SolrFaultsIT.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SERVERS = 3;
    private static final int DOCUMENTS = 800;
    private static final int QUERIES = 46;
    private static final int READERS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Map<Asked, Map<String, Object>> expected = new LinkedHashMap<>();
    private final AtomicInteger answers = new AtomicInteger();

    private record Asked(String table, String query) {}

    @Test
    void answersStayThoseOfOneCoreWhileAServerIsKilled(@TempDir Path directory) throws Exception {
        long seed = Long.getLong("uniserve.parity.seed", Long.getLong("uniserve.parity.day", 20261121));
        LOG.warn("generated queries with -Duniserve.parity.seed={}", seed);
        Map<String, List<Document>> tables = new LinkedHashMap<>();
        tables.put("europarl", europarl());
        List<Document> packages = DebianPackages.documents(DOCUMENTS);
        if (packages.isEmpty()) {
            LOG.warn("apt has no lists of packages, which apt-get update fetches: queries of Europarl only");
        } else {
            tables.put("packages", packages);
        }
        try (PlainSolr plain = new PlainSolr(directory.resolve("plain"))) {
            tables.forEach((table, documents) -> expect(plain, table, documents, seed));
        }
        try (StartedCluster started =
                StartedCluster.start(ProcessClusterOptions.of(directory.resolve("cluster"), SERVERS, "solr"))) {
            tables.forEach((table, documents) -> load(started.client(), table, documents));
            compare(started.client(), 0);
            underFire(started);
            compare(started.client(), 0);
        }
    }

    /** Asks plain Solr. */
    private void expect(PlainSolr plain, String table, List<Document> documents, long seed) {
        plain.load(table, documents);
        Random random = new Random(seed);
        FeatureMaker maker = new FeatureMaker(random, new QueryMaker(random, documents));
        for (int i = 0; i < QUERIES; i++) {
            String query = maker.next(i);
            Map<String, Object> answer = parsed(query, plain.query(table, query));
            if (answer.get("responseHeader") instanceof Map<?, ?> header) {
                header.remove("zkConnected"); // a node says this of itself, a core does not
            }
            expected.put(new Asked(table, query), answer);
        }
    }

    private void underFire(StartedCluster started) {
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            int from = i * expected.size() / READERS;
            readers.add(CompletableFuture.runAsync(() -> {
                do {
                    compare(started.client(), from);
                } while (!stop.get());
            }));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new));
        try {
            more(expected.size() / 4, all);
            started.processes().daemon("server-1").kill();
            // As many as every reader has queries, all of them while the server is dead.
            more(READERS * expected.size(), all);
            started.processes().startServer("server-1");
        } finally {
            stop.set(true);
        }
        all.join();
    }

    /** Waits for so many more right answers; a wrong one, or none, ends the wait. */
    private void more(int count, CompletableFuture<Void> readers) {
        int before = answers.get();
        await(count + " more right answers")
                .atMost(PATIENCE)
                .until(() -> readers.isCompletedExceptionally() || answers.get() >= before + count);
        if (readers.isCompletedExceptionally()) {
            readers.join();
        }
    }

    private static List<Document> europarl() {
        List<Document> documents = new ArrayList<>();
        Path home = Path.of(Objects.requireNonNull(System.getProperty("uniserve.home")));
        for (EuroparlDocument line : EuroparlCorpus.read(home, DOCUMENTS)) {
            int number = documents.size();
            String day = "%d-%02d-%02d".formatted(line.year(), 1 + number % 12, 1 + number % 28);
            documents.add(CorpusDocument.of(line.id(), number, line.title(), day, line.text()));
        }
        return documents;
    }

    /** A table of many actors. */
    private static void load(UniserveClient client, String table, List<Document> documents) {
        client.admin().createTable(TableSpec.named(table).port("solr").hash(6).replicas(2));
        client.table(table)
                .update("solr.add@1", Document.CODEC, documents)
                .run()
                .orThrow();
    }

    /** Asks every query once, beginning with this one. */
    private void compare(UniserveClient client, int from) {
        List<Asked> queries = new ArrayList<>(expected.keySet());
        for (int i = 0; i < queries.size(); i++) {
            Asked asked = queries.get((from + i) % queries.size());
            assertThat(AnswerDifference.first(
                            asked.query(), expected.get(asked), answer(client, asked.table(), asked.query())))
                    .as(asked.toString())
                    .isEmpty();
            answers.incrementAndGet();
        }
    }

    private static Map<String, Object> answer(UniserveClient client, String table, String query) {
        return parsed(query, client.query(table, query).body().utf8());
    }

    private static Map<String, Object> parsed(String query, String json) {
        try {
            return JSON.readValue(json, new TypeReference<>() {});
        } catch (JsonProcessingException e) {
            throw new AssertionError(query, e);
        }
    }
}
