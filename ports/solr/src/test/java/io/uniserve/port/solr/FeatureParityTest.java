package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.PackedFiles;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.solr.AnswerDifference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
 * Written queries for every name that the manual says is supported, each on fields that documents have, against those of one plain
 * core. The table has a configset of its own with what the default schema lacks: places, areas, payloads, term vectors, offsets,
 * synonyms, stop words, enums.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FeatureParityTest {
    private static final int DOCUMENTS = 400;
    private static final double NEAR = 0.03;
    private static final List<String> WORDS = List.of(
            "river law water fish council market ship energy budget treaty forest safety report member".split(" "));

    private final SolrEngine engine = new SolrEngine();
    private EngineInstance instance;
    private PlainCore plain;
    private LocalTable split;
    private LocalTable whole;

    @BeforeAll
    void load(@TempDir Path directory) throws Exception {
        Map<String, String> files = files();
        Path conf = Files.createTempDirectory(directory, "conf");
        PlainCore.write(conf, files);
        Map<String, String> options = Map.of("configset", PackedFiles.pack(conf, any -> true));
        instance = LocalTable.open(engine, directory);
        split = new LocalTable(engine, instance, directory, LocalTable.meta(4, "id", options));
        whole = new LocalTable(engine, instance, directory, LocalTable.meta(1, "id", options));
        engine.validate(split.meta());
        List<Document> documents = documents();
        split.add(documents);
        whole.add(documents);
        plain = PlainCore.of(directory, files, documents);
    }

    @AfterAll
    void close() {
        plain.close();
        instance.close();
    }

    /** The default schema with more fields, and the files that they name. */
    private static Map<String, String> files() {
        String schema = PackedFiles.resource(SolrEngine.class, "schema.xml")
                .replace("</schema>", PackedFiles.resource(FeatureParityTest.class, "feature-fields.xml"));
        return Map.of(
                "schema.xml",
                schema,
                "lang/stop.txt",
                "the\nof\nand\n",
                "synonyms.txt",
                "vessel,ship\nfresh water,river\n",
                "enums.xml",
                "<enumsConfig><enum name=\"severity\"><value>low</value><value>middle</value><value>high</value>"
                        + "</enum></enumsConfig>");
    }

    private static List<Document> documents() {
        Random random = new Random(7);
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(document(random, i));
        }
        return documents;
    }

    private static Document document(Random random, int i) {
        Map<String, Object> fields = new HashMap<>();
        fields.put("id", "f%03d".formatted(i));
        fields.put("title", words(random, 2 + i % 3));
        fields.put("text", "The " + words(random, 6 + i % 30) + ". " + words(random, 5 + i % 11) + ".");
        fields.put("kind_s", "Kind" + random.nextInt(9));
        fields.put("tags_ss", List.of("tag" + random.nextInt(140), "tag" + random.nextInt(5), "other"));
        fields.put("year_i", 1990L + random.nextInt(25));
        fields.put("nums_is", List.of((long) random.nextInt(30), 100L + random.nextInt(5)));
        fields.put("price_d", Math.round(random.nextDouble() * 4_000) / 4.0);
        fields.put("even_b", i % 2 == 0);
        fields.put("at_dt", "20%02d-%02d-%02dT%02d:30:00Z".formatted(i % 9, 1 + i % 12, 1 + i % 28, i % 24));
        fields.put("at_v2", List.of(Math.cos(i), Math.sin(i)));
        fields.put("place_p", "%s,%s".formatted(40 + random.nextInt(200) / 16.0, random.nextInt(400) / 16.0));
        fields.put("area_rpt", "%s,%s".formatted(40 + random.nextInt(200) / 16.0, random.nextInt(400) / 16.0));
        fields.put("days_dr", "[20%02d-%02d TO 2012]".formatted(i % 9, 1 + i % 12));
        fields.put("weights_w", "one|%d.5 two|%d.0 three|1.0".formatted(i % 7, i % 5));
        fields.put("grade", List.of("low", "middle", "high").get(random.nextInt(3)));
        fields.put("grades", List.of("low", i % 7 == 0 ? "high" : "middle"));
        if (i % 4 != 0) {
            fields.put("some_s", "some" + random.nextInt(3));
            fields.put("some_i", (long) random.nextInt(50));
        }
        return new Document("id", fields);
    }

    /** Earlier words more often than later ones. */
    private static String words(Random random, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            int at = Math.min(random.nextInt(WORDS.size()), random.nextInt(WORDS.size()));
            text.append(i == 0 ? "" : random.nextInt(6) == 0 ? " of the " : " ").append(WORDS.get(at));
        }
        return text.toString();
    }

    static Stream<String> queries() {
        return PackedFiles.resource(FeatureParityTest.class, "feature-queries.txt")
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("# "))
                .map(line -> line.replace("@ids", "&sort=id asc&fl=id&rows=400")
                        .replace("@scores", "&distrib.statsCache=true&fl=id,score&rows=60"));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void answersAreThoseOfOneCore(String query) {
        String expected = plain.query(query);
        assertThat(expected).as("a query that finds nothing compares nothing").doesNotContain("\"numFound\":0,");
        SingleCore.assertSame(query, expected, split.query(query));
        SingleCore.assertSame(query, expected, whole.query(0, query));
    }

    /** Solr tells statistics of terms as texts: those of an enumeration's numbers would be of one actor. */
    @Test
    void statisticsOfBinaryTermsAreRefused() {
        assertThatThrownBy(() -> split.query("q=text:river grade:high&distrib.statsCache=true&fl=id,score"))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("distrib.statsCache=true with binary terms, of \"grade\"");
    }

    /**
     * Solr keeps sketches for percentiles, each core its own; with few documents a merged one is some per cent off. They are made by
     * chance, so that two cores with the same documents may differ, too.
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
            assertThat(AnswerDifference.first(query, expected, SingleCore.parse(answer), NEAR))
                    .isEmpty();
        }
    }
}
