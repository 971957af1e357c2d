package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid requests fail with INVALID_ARGUMENT, reason first, at one actor and planned over four; harmless ones are accepted. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RequestFaultsTest {
    private static final String CLAUSES = "maxBooleanClauses";
    private static final int MOST = 1_024;

    @TempDir
    private static Path directory;

    private final SolrEngine engine = new SolrEngine();
    private EngineInstance instance;
    private LocalTable one;
    private LocalTable four;

    @BeforeAll
    void fill() {
        instance = LocalTable.open(engine, directory);
        one = new LocalTable(engine, instance, directory, 1);
        four = new LocalTable(engine, instance, directory, 4);
        List<Document> documents = documents();
        one.add(documents);
        four.add(documents);
    }

    private static List<Document> documents() {
        return IntStream.range(0, 40)
                .mapToObj(i -> new Document(
                        "id",
                        Map.of(
                                "id",
                                "d" + i,
                                "size_i",
                                i,
                                "kind_s",
                                "k" + i % 3,
                                "text",
                                "green hill " + "a".repeat(30))))
                .toList();
    }

    @AfterAll
    void close() {
        instance.close();
    }

    private String fault(String query) {
        Throwable alone = catchThrowable(() -> one.query(0, query));
        Throwable planned = catchThrowable(() -> four.query(query));
        for (Throwable failure : List.of(alone, planned)) {
            assertThat(failure).as(query).isInstanceOf(UniserveException.class);
            assertThat(((UniserveException) failure).code())
                    .as(failure.toString())
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(((UniserveException) planned).reason())
                .isEqualTo(((UniserveException) alone).reason())
                .doesNotContain("Exception", "SolrQueryRequest", "Was expecting")
                .hasSizeLessThan(330);
        return ((UniserveException) planned).reason();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=text:/(.*b.{19})/",
                "q=text:/x{900}{900}/",
                "q=text:/(/",
                "q=text:/<1-99999999999>/",
                "q=*:*&facet=true&facet.field=kind_s&facet.matches=(k",
                "q={!func}strdist(id,\"d\",metre)",
                "q={!field}green",
                "q={!prefix}green",
                "q={!fuzzy}green",
                "q={!bool must=}green",
                "q={!frange l=low}size_i",
                "q=green&df=text&hl=true&hl.fl=text&hl.bs.language=english-",
                "q=green AND&df=text",
                "q=size_i:[1 TO big]",
                "q=*:*&json.facet={a:\"percentile(size_i,many)\"}",
                "json={query:",
                "qt=/spell&q=grene",
                "qt=/browse&q=green",
                "qt=/export&q=*:*&sort=id asc&fl=id",
                "qt=/nothing",
            })
    void areTheRequests(String query) {
        assertThat(fault(query)).isNotBlank();
    }

    @Test
    void theReasonComesBeforeALongText() {
        String words = IntStream.rangeClosed(0, MOST).mapToObj(i -> "w" + i).collect(Collectors.joining(" OR "));
        assertThat(fault("rows=0&df=text&q=" + words))
                .startsWith("Solr: the query has 1,025 clauses, at most 1,024: use {!terms f=FIELD}a,b,c")
                .contains(CLAUSES);
        assertThat(fault("rows=0&df=text&q=" + "green ".repeat(300) + "AND OR"))
                .startsWith("Solr: syntax error at \"OR\"");
        assertThat(fault("q=text:/(.*b.{19})/")).startsWith("Solr: the regular expression or wildcard is too complex");
        assertThat(fault("qt=/spell&q=x")).startsWith("parameter qt is \"/spell\": use /select or /get");
    }

    @Test
    void aTableMayAllowMoreClauses() {
        String words = IntStream.range(0, 1_500).mapToObj(i -> "w" + i).collect(Collectors.joining(" OR "));
        LocalTable wide =
                new LocalTable(engine, instance, directory, LocalTable.meta(3, "id", Map.of(CLAUSES, "2000")));
        wide.add(documents());
        String query = "rows=0&df=text&q=green OR " + words;
        assertThat(SingleCore.found(wide.query(query))).isEqualTo(40);
        assertThat(SingleCore.found(wide.query(1, query))).isPositive();
        assertThat(fault(query)).contains("1,501 clauses, at most 1,024");
        for (String wrong : List.of("0", "65537", "many", "-1")) {
            assertThatThrownBy(() -> engine.validate(LocalTable.meta(1, "id", Map.of(CLAUSES, wrong))))
                    .hasMessageContaining(
                            "table option maxBooleanClauses is \"" + wrong + "\": use a whole number, 1 to 65536");
        }
        engine.validate(LocalTable.meta(1, "id", Map.of(CLAUSES, "65536")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"(%)", "{!edismax qf=text}(%)", "{!func}abs(%)", "{!surround df=text}(%)"})
    void nestingIsRefusedTheSameWayEachTime(String form) {
        String opening = form.substring(0, form.indexOf('%'));
        int name = opening.lastIndexOf('}') + 1;
        String inner = opening.contains("func") ? "size_i" : "green";
        String deep = opening.substring(0, name) + opening.substring(name).repeat(3_000) + inner + ")".repeat(3_000);
        assertThat(fault("rows=0&df=text&q=" + deep))
                .startsWith("brackets in the query are nested 3000 deep, at most 500");
        String allowed = opening.substring(0, name) + opening.substring(name).repeat(400) + inner + ")".repeat(400);
        assertThat(SingleCore.found(four.query("rows=0&df=text&q=" + allowed))).isEqualTo(40);
        assertThat(fault("json=" + "[".repeat(5_000))).isNotBlank();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "_=1732650000",
                "echoParams=all",
                "echoParams=explicit",
                "facet.threads=4",
                "shards.preference=replica.type:PULL",
                "timeAllowed=1",
                "timeAllowed=-1",
                "qt=select",
                "qt=/select",
                "qt=/query",
            })
    void harmlessParametersChangeNothing(String parameter) {
        String query = "q=green&df=text&rows=5&fl=id&sort=id asc&facet=true&facet.field=kind_s";
        assertThat(four.query(query + "&" + parameter)).isEqualTo(four.query(query));
        assertThat(one.query(0, query + "&" + parameter)).isEqualTo(one.query(0, query));
    }

    /** Same as plain Solr: clients send the key as a text. */
    @Test
    void numbersAreIdsAndWholeNumbersMayHaveAPoint() {
        LocalTable numbered = new LocalTable(engine, instance, directory, 3);
        numbered.add(IntStream.range(0, 9)
                .mapToObj(i -> new Document(
                                "id",
                                Map.of(
                                        "id",
                                        (long) i,
                                        "size_i",
                                        i + 0.0,
                                        "long_ls",
                                        List.of(1.0, 2L),
                                        "part_d",
                                        i + 0.5))
                        .withTextKey())
                .toList());
        assertThat(numbered.query("q=id:7&fl=id,size_i,long_ls,part_d"))
                .contains("\"id\":\"7\"", "\"size_i\":7", "\"long_ls\":[1,2]", "\"part_d\":7.5");
        numbered.add(List.of(new Document("id", Map.of("id", "7", "size_i", Map.of("inc", 2.0)))));
        assertThat(numbered.query("q=id:7&fl=size_i")).contains("\"size_i\":9");
        assertThatThrownBy(() -> numbered.add(List.of(new Document("id", Map.of("id", "8", "size_i", 1.5)))))
                .hasMessageContaining("1.5");
        LocalTable apart = new LocalTable(engine, instance, directory, LocalTable.meta(2, "kind_s", Map.of()));
        apart.add(List.of(new Document("kind_s", Map.of("id", 5L, "kind_s", "k"))));
        assertThat(apart.query("q=id:5&fl=id")).contains("\"id\":\"5\"");
    }
}
