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
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a table of four actors cannot answer as a table of one does is refused by name; the rest is answered the same. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NothingIgnoredTest {
    private static final String NEAREST = "q={!knn f=at_v2 topK=9}[0.3,0.9]&fl=id&rows=20&";

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
        List<Document> documents =
                IntStream.range(0, 200).mapToObj(NothingIgnoredTest::document).toList();
        one.add(documents);
        four.add(documents);
    }

    private static Document document(int i) {
        return new Document(
                "id",
                Map.of(
                        "id",
                        "d" + i,
                        "brand_s",
                        "brand" + i * 7 % 8,
                        "even_b",
                        i % 2 == 0,
                        "stock_i",
                        i * 13 % 50,
                        "text",
                        i % 3 == 0 ? "river law" : "law",
                        "at_v2",
                        List.of(Math.cos(i), Math.sin(i))));
    }

    @AfterAll
    void close() {
        instance.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                NEAREST + "fq={!terms f=brand_s v=$w}&w=brand1,brand2",
                NEAREST + "fq={!term f=even_b v=$w}&w=true",
                NEAREST + "fq=river&df=text",
                NEAREST + "start=2&facet=true&facet.field=brand_s&group.limit=3",
                "q={!knn f=at_v2 topK=9 preFilter=$pf}[0.3,0.9]&fl=id&rows=20&pf=even_b:true",
                "q=*:*&rows=0&facet=true&facet.field={!facet.prefix=brand1 key=k}brand_s",
                "q=*:*&rows=0&facet=true&facet.field=brand_s&f.brand_s.facet.limit=2",
                "q=*:*&rows=0&facet=true&facet.field=brand_s&json.nl=map",
                "q=*:*&rows=0&json.facet={b:{type:terms,field:brand_s,domain:{filter:\"even_b:true\"}}}",
                "q=*:*&rows=0&json.facet={graph:{type:terms,field:brand_s}}",
            })
    void theSameAsOneActor(String query) {
        assertThat(four.query(query)).isEqualTo(one.query(query));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*&facet=true&facet.pivot={!key=p facet.limit=1}brand_s,even_b | f.FIELD.facet.limit",
                "q=*:*&facet=true&facet.pivot={!facet.pivot.mincount=40}brand_s,even_b | f.FIELD.facet.limit",
                "q=*:*&facet=true&facet.field={!facet.limit=2}brand_s | f.FIELD.facet.limit",
                "q=*:*&facet=true&facet.field={!f.brand_s.facet.sort=index}brand_s | f.FIELD.facet.limit",
                NEAREST + "fq={!frange l=0 u=20 cache=false cost=200}stock_i | preFilter",
                "q={!knn f=at_v2 topK=9 includeTags=a}[0.3,0.9]&fq={!tag=a}even_b:true | preFilter",
                "q={!knn f=at_v2 topK=9 excludeTags=a}[0.3,0.9]&fq={!tag=a}even_b:true | preFilter",
                NEAREST + "fq={!collapse field=id} | collapse",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,domain:{join:{from:brand_s,to:brand_s}}}} | \"join\"",
                "q=*:*&json.facet={b:{type:terms,field:brand_s,domain:{filter:\"a:b\",graph:{}}}} | \"graph\"",
                "q=*:*&json.facet={b:{query:\"{\\u0021join from=a to=b}x:1\"}} | \"join\"",
                "q=_query_:\"{\\!join from=brand_s to=brand_s}id:d1\" | \"join\"",
                "q=law&defType=edismax&qf=text&boost=query($qq,0.1)&qq=text:river&distrib.statsCache=true | statsCache",
            })
    void refusedByName(String line) {
        String[] cells = line.split(" \\| ");
        assertThatThrownBy(() -> four.query(cells[0]))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(cells[1])
                .extracting(e -> ((UniserveException) e).code())
                .isEqualTo(ErrorCode.UNSUPPORTED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q={!knn f=at_v2 topK=0}[1,2]",
                "q={!knn f=at_v2 topK=3}[NaN,0.2]",
                "q=*:*&json.nl=foo&facet=true&facet.field=brand_s",
                "q=law&hl=true&hl.fl=text&hl.method=foo",
            })
    void theUsersFault(String query) {
        assertThatThrownBy(() -> four.query(query))
                .isInstanceOf(UniserveException.class)
                .extracting(e -> ((UniserveException) e).code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void aKeyThatIsNoField() {
        assertThatThrownBy(() -> engine.validate(LocalTable.meta(2, "nofield", Map.of())))
                .hasMessageContaining("nofield");
        assertThatThrownBy(() -> engine.validate(LocalTable.meta(2, "tags_ss", Map.of())))
                .hasMessageContaining("tags_ss");
    }
}
