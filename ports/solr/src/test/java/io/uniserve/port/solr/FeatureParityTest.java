package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.solr.AnswerComparator;
import io.uniserve.testkit.solr.FeatureCorpus;
import io.uniserve.testkit.solr.HandWrittenQueries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hand-written queries for every name that the manual lists as supported, on fields of the documents, compared with one plain core. The
 * table has a configset with features that the default schema lacks: places, areas, payloads, term vectors, offsets, synonyms, stop words,
 * enums.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FeatureParityTest {
    private static final double NEAR = 0.03;

    private final SolrEngine engine = new SolrEngine();
    private EngineInstance instance;
    private PlainCore plain;
    private LocalTable split;
    private LocalTable whole;

    @BeforeAll
    void load(@TempDir Path directory) throws Exception {
        Map<String, String> files =
                FeatureCorpus.configset(PackedFilesCodec.readResource(SolrEngine.class, "schema.xml"));
        Path conf = Files.createTempDirectory(directory, "conf");
        PlainCore.write(conf, files);
        Map<String, String> options = Map.of("configset", PackedFilesCodec.pack(conf, any -> true));
        instance = LocalTable.open(engine, directory);
        split = new LocalTable(engine, instance, directory, LocalTable.meta(4, "id", options));
        whole = new LocalTable(engine, instance, directory, LocalTable.meta(1, "id", options));
        engine.validate(split.meta());
        List<Document> documents = FeatureCorpus.all();
        split.add(documents);
        whole.add(documents);
        plain = PlainCore.of(directory, files, documents);
    }

    @AfterAll
    void close() {
        plain.close();
        instance.close();
    }

    static Stream<String> queries() {
        return HandWrittenQueries.ofFeatures().stream();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void answersAreThoseOfOneCore(String query) {
        String expected = plain.query(query);
        assertThat(expected).as("a query that finds nothing compares nothing").doesNotContain("\"numFound\":0,");
        SingleCore.assertSame(query, expected, split.query(query));
        SingleCore.assertSame(query, expected, whole.query(0, query));
    }

    /** Queries with facets or highlights of one field, with all their per-field parameters. */
    static Stream<String> queriesOfOneField() {
        Set<String> names = PackedFilesCodec.readResource(SolrLanguage.class, "language.txt")
                .lines()
                .filter(line -> line.startsWith("yes | parameter | "))
                .flatMap(line -> Stream.of(line.split(" \\| ")[2].split(" ")))
                .filter(name -> name.endsWith("+"))
                .map(name -> name.replaceAll("[*+]", ""))
                .collect(Collectors.toSet());
        return queries().flatMap(query -> {
            String facets = ofOneField(query, "facet.", "&facet\\.(?:field|range|interval|pivot)=([^&]*)", names);
            String changed = ofOneField(facets, "hl.", "&hl\\.fl=([^&]*)", names);
            return changed.equals(query) ? Stream.empty() : Stream.of(changed);
        });
    }

    /** Returns the query with the parameters of this prefix set for the field, if the pattern finds exactly one. */
    private static String ofOneField(String query, String prefix, String pattern, Set<String> names) {
        List<MatchResult> found =
                Pattern.compile(pattern).matcher(query).results().toList();
        if (found.size() != 1 || !found.get(0).group(1).matches("\\w+")) {
            return query;
        }
        String field = "f." + found.get(0).group(1) + ".";
        return Stream.of(query.split("&"))
                .map(one -> one.startsWith(prefix) && names.contains(one.split("=")[0]) ? field + one : one)
                .collect(Collectors.joining("&"));
    }

    @ParameterizedTest
    @MethodSource("queriesOfOneField")
    void ofOneFieldTheyAreToo(String query) {
        answersAreThoseOfOneCore(query);
    }

    /** Solr sends statistics of terms as texts: those of an enumeration's numbers would be of one actor. */
    @Test
    void statisticsOfBinaryTermsAreRefused() {
        assertThatThrownBy(() -> split.query("q=text:river grade:high&distrib.statsCache=true&fl=id,score"))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("distrib.statsCache=true with binary terms, of \"grade\"");
    }

    /**
     * Solr keeps sketches for percentiles per core. With few documents a merged one differs by some per cent. Sketches are random, so that
     * two cores with the same documents may differ, too.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*&rows=0&stats=true&stats.field={!percentiles='5,25,50,75,99'}price_d",
                "q=*:*&rows=0&stats=true&stats.field={!percentiles='50,90' tdigestCompression=200}year_i",
                "q=title:river&rows=0&stats=true&stats.field={!percentiles='50'}some_i",
                "q=*:*&rows=0&json.facet={p:'percentile(price_d,5,50,99)',q:'percentile(year_i,50)',r:'percentile(at_dt,50)'}",
                "q=*:*&rows=0&json.facet={k:{type:terms,field:kind_s,facet:{p:'percentile(price_d,10,90)'}}}",
                "q=*:*&rows=0&facet=true&facet.pivot={!stats=s1}grade&stats=true&stats.field={!tag=s1 percentiles='50'}price_d",
            })
    void percentilesAreNearThoseOfOneCore(String query) {
        Object expected = SingleCore.parse(plain.query(query));
        for (String answer : List.of(split.query(query), whole.query(0, query))) {
            assertThat(AnswerComparator.firstDifference(query, expected, SingleCore.parse(answer), NEAR))
                    .isEmpty();
        }
    }
}
