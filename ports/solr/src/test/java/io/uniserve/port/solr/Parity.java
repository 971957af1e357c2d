package io.uniserve.port.solr;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.testkit.solr.CorpusDocumentFactory;
import io.uniserve.testkit.solr.FeatureQueryGenerator;
import io.uniserve.testkit.solr.HandWrittenQueries;
import io.uniserve.testkit.solr.SearchQueryGenerator;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Random queries on a corpus, for plain Solr with one core, for a table of several actors, and for one of one actor. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Parity {
    private static final Logger LOG = LoggerFactory.getLogger(Parity.class);
    static final int DOCUMENTS = 4_000;
    private static final int QUERIES_PER_SEED = 54;
    private static final int COLLAPSED_PER_SEED = 5;
    private static final int PAGES = 4;

    private final SolrEngine engine = new SolrEngine();
    private final List<Document> documents;
    private EngineInstance instance;
    PlainCore plain;
    LocalTable whole;
    LocalTable split;
    private LocalTable byPart;

    Parity(List<Document> documents) {
        this.documents = PlainCore.byId(documents);
    }

    @BeforeAll
    void load(@TempDir Path directory) throws Exception {
        LOG.warn(
                "{}: generated queries by seeds {}, each again with -Duniserve.parity.seed=N",
                getClass().getSimpleName(),
                Arrays.toString(ParitySeeds.ofTheDay().toArray()));
        instance = LocalTable.open(engine, directory);
        whole = new LocalTable(engine, instance, directory, 1);
        split = new LocalTable(engine, instance, directory, 7);
        byPart = new LocalTable(engine, instance, directory, LocalTable.meta(5, CorpusDocumentFactory.PART, Map.of()));
        for (int from = 0; from < documents.size(); from += 1_000) {
            List<Document> some = documents.subList(from, Math.min(documents.size(), from + 1_000));
            whole.add(some);
            split.add(some);
            byPart.add(some.stream()
                    .map(one -> new Document(CorpusDocumentFactory.PART, one.fields()))
                    .toList());
        }
        plain = PlainCore.of(directory, documents);
    }

    @AfterAll
    void close() {
        plain.close();
        instance.close();
    }

    /** Checks a query, planned over several actors or passed to the only one; a cursor walk for some pages. */
    void same(String query) {
        String page = query;
        String ofSplit = query;
        String ofWhole = query;
        for (int i = 0; i < PAGES; i++) {
            String expected = plain.query(page);
            String several = split.query(ofSplit);
            String one = whole.query(0, ofWhole);
            SingleCore.assertSame(page, expected, several);
            SingleCore.assertSame(page, expected, one);
            if (SingleCore.map(SingleCore.parse(expected)).get("nextCursorMark") == null) {
                return;
            }
            page = next(query, expected);
            ofSplit = next(query, several);
            ofWhole = next(query, one);
        }
    }

    private static String next(String query, String answer) {
        Object mark = SingleCore.map(SingleCore.parse(answer)).get("nextCursorMark");
        return query.replace("cursorMark=*", "cursorMark=" + SearchQueryGenerator.escape(String.valueOf(mark)));
    }

    static Stream<String> queries() {
        return HandWrittenQueries.ofCorpora().stream();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void writtenQueriesGiveTheSameAnswers(String query) {
        same(query);
    }

    /** Reports all differences, each with its query; the seed reproduces them. */
    @ParameterizedTest
    @MethodSource("io.uniserve.port.solr.ParitySeeds#ofTheDay")
    void generatedQueriesGiveTheSameAnswers(long seed) {
        Random random = new Random(seed);
        FeatureQueryGenerator maker = new FeatureQueryGenerator(random, new SearchQueryGenerator(random, documents));
        SoftAssertions all = new SoftAssertions();
        for (int i = 0; i < QUERIES_PER_SEED; i++) {
            String query = maker.next(i);
            all.assertThatCode(() -> same(query))
                    .as("-Duniserve.parity.seed=%d", seed)
                    .doesNotThrowAnyException();
        }
        for (int i = 0; i < COLLAPSED_PER_SEED; i++) {
            String query = maker.collapsed();
            all.assertThatCode(() -> SingleCore.assertSame(query, plain.query(query), byPart.query(query)))
                    .as("-Duniserve.parity.seed=%d", seed)
                    .doesNotThrowAnyException();
        }
        all.assertAll();
    }
}
