package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.Document;
import io.uniserve.cli.demo.EuroparlCorpus;
import io.uniserve.cli.demo.EuroparlDocument;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.testkit.solr.AnswerDifference;
import io.uniserve.testkit.solr.CorpusDocument;
import io.uniserve.testkit.solr.FeatureMaker;
import io.uniserve.testkit.solr.QueryMaker;
import java.nio.file.Path;
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
 * Generated queries of every kind while a server dies by SIGKILL and comes back: every answer of a table of many actors,
 * each on two servers, is that of one core with all documents, and none fails.
 */
class SolrFaultsIT {
    private static final Logger LOG = LoggerFactory.getLogger(SolrFaultsIT.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SERVERS = 3;
    private static final int DOCUMENTS = 800;
    private static final int QUERIES = 42;
    private static final int READERS = 3;

    private final Map<String, Map<String, Object>> expected = new LinkedHashMap<>();
    private final AtomicInteger answers = new AtomicInteger();

    @Test
    void answersStayThoseOfOneCoreWhileAServerIsKilled(@TempDir Path directory) throws Exception {
        long seed = Long.getLong("uniserve.parity.seed", Long.getLong("uniserve.parity.day", 20261121));
        LOG.warn("generated queries with -Duniserve.parity.seed={}", seed);
        List<Document> documents = documents();
        try (StartedCluster started = StartedCluster.start(ProcessClusterOptions.of(directory, SERVERS, "solr"))) {
            UniserveClient client = started.client();
            load(client, "many", 6, documents);
            load(client, "one", 1, documents);
            Random random = new Random(seed);
            FeatureMaker maker = new FeatureMaker(random, new QueryMaker(random, documents));
            for (int i = 0; i < QUERIES; i++) {
                String query = maker.next(i);
                expected.put(query, answer(client, "one", query));
            }
            compare(client, 0);
            underFire(started);
            compare(client, 0);
        }
    }

    private void underFire(StartedCluster started) {
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            int from = i * QUERIES / READERS;
            readers.add(CompletableFuture.runAsync(() -> {
                do {
                    compare(started.client(), from);
                } while (!stop.get());
            }));
        }
        int before = answers.get();
        try {
            await("queries under way").until(() -> answers.get() > before + QUERIES / 4);
            started.processes().daemon("server-1").kill();
            started.processes().startServer("server-1");
        } finally {
            stop.set(true);
        }
        CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
        assertThat(answers.get() - before).isGreaterThanOrEqualTo(READERS * QUERIES);
    }

    private static List<Document> documents() {
        List<Document> documents = new ArrayList<>();
        Path home = Path.of(Objects.requireNonNull(System.getProperty("uniserve.home")));
        for (EuroparlDocument line : EuroparlCorpus.read(home, DOCUMENTS)) {
            int number = documents.size();
            String day = "%d-%02d-%02d".formatted(line.year(), 1 + number % 12, 1 + number % 28);
            documents.add(CorpusDocument.of(line.id(), number, line.title(), day, line.text()));
        }
        return documents;
    }

    private static void load(UniserveClient client, String table, int actors, List<Document> documents) {
        client.admin()
                .createTable(TableSpec.named(table).port("solr").hash(actors).replicas(2));
        client.table(table)
                .update("solr.add@1", Document.CODEC, documents)
                .run()
                .orThrow();
    }

    /** Asks every query once, beginning with this one. */
    private void compare(UniserveClient client, int from) {
        List<String> queries = new ArrayList<>(expected.keySet());
        for (int i = 0; i < queries.size(); i++) {
            String query = queries.get((from + i) % queries.size());
            assertThat(AnswerDifference.first(expected.get(query), answer(client, "many", query)))
                    .as(query)
                    .isEmpty();
            answers.incrementAndGet();
        }
    }

    private static Map<String, Object> answer(UniserveClient client, String table, String query) {
        try {
            Map<String, Object> answer =
                    JSON.readValue(client.query(table, query).body().utf8(), new TypeReference<>() {});
            answer.remove("responseHeader");
            return answer;
        } catch (JsonProcessingException e) {
            throw new AssertionError(query, e);
        }
    }
}
