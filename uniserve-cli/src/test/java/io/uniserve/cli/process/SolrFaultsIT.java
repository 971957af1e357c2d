package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.benchmark.demo.EuroparlCorpus;
import io.uniserve.benchmark.demo.EuroparlDocument;
import io.uniserve.cli.bench.text.PlainSolr;
import io.uniserve.cli.process.SolrQuestions.Asked;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessClusterOptions;
import io.uniserve.testkit.solr.CorpusDocumentFactory;
import io.uniserve.testkit.solr.DebianPackageCorpus;
import io.uniserve.testkit.solr.DictionaryCorpus;
import io.uniserve.testkit.solr.FeatureCorpus;
import io.uniserve.testkit.solr.FeatureQueryGenerator;
import io.uniserve.testkit.solr.HandWrittenQueries;
import io.uniserve.testkit.solr.SearchQueryGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Generated queries of every kind, and hand-written ones for every corpus and feature, while a server is killed by SIGKILL and restarts.
 * Every answer of a table of many actors with rf 2 must equal that of one core of plain Apache Solr, and none may fail. Each query is sent
 * at least once while the server is dead.
 */
class SolrFaultsIT {
    private static final Logger LOG = LoggerFactory.getLogger(SolrFaultsIT.class);
    private static final Path HOME = Path.of(Objects.requireNonNull(System.getProperty("uniserve.home")));
    private static final int SERVERS = 3;
    private static final int DOCUMENTS = 800;
    private static final int GENERATED = 432;
    private static final int COLLAPSED = 10;
    private static final int READERS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(20);
    private static final String EUROPARL = "europarl";
    private static final String BY_PART = "parts";
    private static final String FEATURES = "features";

    private final Map<String, String> configset = FeatureCorpus.configset(defaultSchema());
    private final SolrQuestions questions = new SolrQuestions();
    private final AtomicInteger turn = new AtomicInteger();
    private final AtomicBoolean stop = new AtomicBoolean();
    /** Queries that were sent and correctly answered in this round. */
    private volatile Set<Asked> round = ConcurrentHashMap.newKeySet();

    @Test
    void answersStayThoseOfOneCoreWhileAServerIsKilled(@TempDir Path directory) throws Exception {
        long seed = Long.getLong("uniserve.parity.seed", Long.getLong("uniserve.parity.day", 20261121));
        LOG.warn("generated queries with -Duniserve.parity.seed={}", seed);
        Map<String, List<Document>> corpora = corpora();
        try (PlainSolr plain = new PlainSolr(directory.resolve("plain"))) {
            int each = (GENERATED + corpora.size() - 1) / corpora.size();
            corpora.forEach((table, documents) -> expect(plain, table, documents, each, seed));
            plain.load(FEATURES, configset, FeatureCorpus.all());
            questions.ask(plain, FEATURES, FEATURES, HandWrittenQueries.ofFeatures());
        }
        try (StartedCluster started =
                StartedCluster.start(ProcessClusterOptions.of(directory.resolve("cluster"), SERVERS, "solr"))) {
            corpora.forEach((table, documents) ->
                    load(started.client(), TableSpec.named(table).hash(6), documents));
            loadOthers(started.client(), Files.createDirectory(directory.resolve("conf")));
            underFire(started, questions.shuffled(new Random(seed)));
        }
    }

    /** Gets the expected answers from plain Solr. */
    private void expect(PlainSolr plain, String table, List<Document> documents, int generated, long seed) {
        plain.load(table, documents);
        questions.ask(plain, table, table, HandWrittenQueries.ofCorpora());
        Random random = new Random(seed);
        FeatureQueryGenerator maker = new FeatureQueryGenerator(random, new SearchQueryGenerator(random, documents));
        List<String> queries = new ArrayList<>();
        for (int i = 0; queries.size() < generated; i++) {
            String query = maker.next(i);
            if (SolrQuestions.hasOneAnswer(query)) {
                queries.add(query);
            }
        }
        questions.ask(plain, table, table, queries);
        if (table.equals(EUROPARL)) {
            List<String> collapsed = new ArrayList<>();
            for (int i = 0; i < COLLAPSED; i++) {
                collapsed.add(maker.collapsed());
            }
            questions.ask(plain, table, BY_PART, collapsed);
        }
    }

    private static String defaultSchema() {
        Engine engine = PortLoader.load(HOME.resolve("ports/solr"), "solr").engine();
        return PackedFilesCodec.readResource(engine.getClass(), "schema.xml");
    }

    private void underFire(StartedCluster started, List<Asked> all) {
        DaemonProcess victim = started.processes().daemon(started.primary(EUROPARL, 0));
        List<CompletableFuture<Void>> each = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            each.add(CompletableFuture.runAsync(() -> read(started.client(), all)));
        }
        CompletableFuture<Void> readers = CompletableFuture.allOf(each.toArray(CompletableFuture[]::new));
        try {
            rightly(readers, all.size() / 4);
            victim.kill();
            round = ConcurrentHashMap.newKeySet();
            rightly(readers, all.size());
            assertThat(started.processes().daemon(victim.name()).isAlive()).isFalse();
            LOG.warn("{} queries were asked while {} was dead", round.size(), victim.name());
            round = ConcurrentHashMap.newKeySet();
            started.processes().startServer(victim.name());
            rightly(readers, all.size());
        } finally {
            stop.set(true);
        }
        readers.join();
    }

    /** Sends one query after the other, alternating with the other readers; all end with the first of them. */
    private void read(UniserveClient client, List<Asked> all) {
        try {
            while (!stop.get()) {
                Set<Asked> begun = round;
                Asked asked = all.get(turn.getAndIncrement() % all.size());
                questions.check(client, asked);
                begun.add(asked);
            }
        } finally {
            stop.set(true);
        }
    }

    /** Waits until this many queries of the round have correct answers; a wrong or missing one ends the wait. */
    private void rightly(CompletableFuture<Void> readers, int count) {
        await(count + " right answers").atMost(PATIENCE).until(() -> readers.isDone() || round.size() >= count);
        if (readers.isDone()) {
            readers.join();
        }
    }

    private static Map<String, List<Document>> corpora() {
        Map<String, List<Document>> corpora = new LinkedHashMap<>();
        corpora.put(EUROPARL, europarl());
        corpora.put("dictionaries", DictionaryCorpus.documents(DOCUMENTS));
        corpora.put("packages", DebianPackageCorpus.documents(DOCUMENTS));
        if (corpora.values().removeIf(List::isEmpty)) {
            LOG.warn(
                    "of {} only: the others need the Debian packages dict-gcide and wordnet-base, and apt-get update",
                    corpora.keySet());
        }
        return corpora;
    }

    private static List<Document> europarl() {
        List<Document> documents = new ArrayList<>();
        for (EuroparlDocument line : EuroparlCorpus.read(HOME, DOCUMENTS)) {
            int number = documents.size();
            String day = "%d-%02d-%02d".formatted(line.year(), 1 + number % 12, 1 + number % 28);
            documents.add(CorpusDocumentFactory.of(line.id(), number, line.title(), day, line.text()));
        }
        return documents;
    }

    /** Loads the documents by their part, and those of the features, whose table has a configset of its own. */
    private void loadOthers(UniserveClient client, Path conf) throws IOException {
        List<Document> byPart = europarl().stream()
                .map(one -> new Document(CorpusDocumentFactory.PART, one.fields()))
                .toList();
        load(
                client,
                TableSpec.named(BY_PART).keyField(CorpusDocumentFactory.PART).hash(3),
                byPart);
        for (Map.Entry<String, String> file : configset.entrySet()) {
            Path path = conf.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        String packed = PackedFilesCodec.pack(conf, any -> true);
        TableSpec features = TableSpec.named(FEATURES).hash(4).option("configset", packed);
        load(client, features, FeatureCorpus.all());
    }

    private static void load(UniserveClient client, TableSpec spec, List<Document> documents) {
        TableSpec table = spec.port("solr").replicas(2);
        client.admin().createTable(table);
        client.table(table.meta().name().value())
                .update("solr.add@1", Document.CODEC, documents)
                .run()
                .orThrow();
    }
}
