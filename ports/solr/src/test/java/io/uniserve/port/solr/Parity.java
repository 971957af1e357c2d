package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.testkit.solr.FeatureMaker;
import io.uniserve.testkit.solr.QueryMaker;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Generated queries on a corpus, over one core and over a table of several actors. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Parity {
    private static final Logger LOG = LoggerFactory.getLogger(Parity.class);
    static final int DOCUMENTS = 4_000;
    private static final int QUERIES_PER_SEED = 42;

    private final SolrEngine engine = new SolrEngine();
    private final List<Document> documents;
    private EngineInstance instance;
    LocalTable whole;
    LocalTable split;

    Parity(List<Document> documents) {
        this.documents = documents;
    }

    @BeforeAll
    void load(@TempDir Path directory) {
        LOG.warn(
                "{}: generated queries by seeds {}, each again with -Duniserve.parity.seed=N",
                getClass().getSimpleName(),
                Arrays.toString(Seeds.ofTheDay().toArray()));
        instance = LocalTable.open(engine, directory);
        whole = new LocalTable(engine, instance, directory, 1);
        split = new LocalTable(engine, instance, directory, 7);
        for (int from = 0; from < documents.size(); from += 1_000) {
            whole.add(documents.subList(from, Math.min(documents.size(), from + 1_000)));
            split.add(documents.subList(from, Math.min(documents.size(), from + 1_000)));
        }
    }

    @AfterAll
    void close() {
        instance.close();
    }

    /** Planned over several actors, or handed to the one that there is. */
    void same(String query) {
        String expected = SingleCore.query(whole.actor(0), query);
        SingleCore.assertSame(query, expected, split.query(query));
        SingleCore.assertSame(query, expected, whole.query(0, query));
    }

    @ParameterizedTest
    @MethodSource("io.uniserve.port.solr.Seeds#ofTheDay")
    void generatedQueriesGiveTheSameAnswers(long seed) {
        try {
            Random random = new Random(seed);
            FeatureMaker maker = new FeatureMaker(random, new QueryMaker(random, documents));
            for (int i = 0; i < QUERIES_PER_SEED; i++) {
                same(maker.next(i));
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("again with -Duniserve.parity.seed=" + seed, e);
        }
    }
}
