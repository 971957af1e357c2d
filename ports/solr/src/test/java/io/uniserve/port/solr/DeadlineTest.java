package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Solr stops at the query's deadline or cancellation, without a partial answer. */
class DeadlineTest {
    private static final int DOCUMENTS = 8000;
    /** Compares each document's text with another, which for all of them takes far more than a millisecond. */
    private static final String LONG =
            "q={!func}strdist(\"%s\",text_s,edit)&rows=3&fl=id,text_s".formatted("the quick brown fox ".repeat(5));

    private static final String A = "a".repeat(40);

    @TempDir
    Path directory;

    private EngineInstance instance;
    private LocalTable table;

    @BeforeEach
    void fill() {
        SolrEngine engine = new SolrEngine();
        instance = LocalTable.open(engine, directory);
        table = new LocalTable(engine, instance, directory, 2);
        table.add(IntStream.range(0, DOCUMENTS)
                .mapToObj(i -> new Document(
                        "id",
                        Map.of(
                                "id",
                                "d" + i,
                                "n_i",
                                (long) i,
                                "a_s",
                                A + i,
                                "text_s",
                                "jumps over the lazy dog ".repeat(4) + i)))
                .toList());
    }

    @AfterEach
    void close() {
        instance.close();
    }

    /** Checks that the query ends soon after this many polls of its cancellation, with the reason. */
    private void stops(int looks, Supplier<String> query) {
        table.endsAfter(looks);
        assertThatThrownBy(query::get)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
        assertThat(table.looksLeft()).as("looks after the end, one per actor").isBetween(-3, -1);
        table.endsAfter(Integer.MAX_VALUE);
    }

    /** On a dedicated thread. */
    @Test
    void anActorAskedByItselfStops() {
        stops(3, () -> table.query(0, LONG));
        assertThat(table.query(0, LONG)).contains("\"numFound\":");
    }

    /** On the planner's thread, where Solr could confuse the planner's limits with the actor's. */
    @Test
    void anActorThatIsAskedOnThePlannersThreadStops() {
        for (String more :
                List.of("", "&facet=true&facet.field=text_s&facet.limit=2", "&group=true&group.field=text_s")) {
            stops(3, () -> table.query(LONG + more));
        }
        assertThat(table.query(LONG)).contains("\"numFound\":" + DOCUMENTS);
    }

    /** In JSON facets each bucket polls. */
    @Test
    void facetsOfRangesInRangesStop() {
        String inner = "{type:range,field:n_i,start:0,end:9000,gap:1}";
        stops(
                500,
                () -> table.query("q=*:*&rows=0&json.facet={a:{type:range,field:n_i,start:0,end:9000,gap:1,facet:{b:"
                        + inner + "}}}"));
    }

    /** A regular expression whose backtracking would take years. */
    @Test
    void regularExpressionsOfFacetsStop() {
        String never = "facet.matches=(.*a){14}b";
        for (String facet : List.of("facet.field=a_s&" + never, "facet.field=a_s&f.a_s." + never)) {
            stops(2_000, () -> table.query("q=*:*&rows=0&facet=true&" + facet));
        }
        assertThat(table.query("q=*:*&rows=0&facet=true&facet.field=a_s&facet.limit=1&facet.matches=(a%7Cx)*b*1"))
                .contains("\"a_s\":[\"" + A + "1\",1]");
        assertThatThrownBy(() -> table.query("q=*:*&rows=0&facet=true&facet.field=a_s&facet.matches=(a"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }

    /** Values that are computed per document of an answer: each chunk polls. */
    @Test
    void computedFieldsOfDocumentsStop() {
        stops(
                40,
                () -> table.query("q=*:*&rows=8000&fl=id,text_s,a:strlen(text_s)"
                        .replace("strlen(text_s)", "strdist(\"lazy dogs\",text_s,edit)")));
    }
}
