package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.testkit.seed.Seed;
import io.uniserve.testkit.seed.SeededTest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole answers of a table of several actors against those of one Solr core that holds all documents. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ParityTest {
    private static final int DOCUMENTS = 4_000;
    private static final int QUERIES_PER_SEED = 20;

    private final SolrEngine engine = new SolrEngine();
    private final List<Document> documents = Europarl.documents(DOCUMENTS);
    private EngineInstance instance;
    private LocalTable whole;
    private LocalTable split;

    @BeforeAll
    void load(@TempDir Path directory) {
        instance = LocalTable.open(engine, directory);
        whole = new LocalTable(engine, instance, directory, 1);
        split = new LocalTable(engine, instance, directory, 7);
        for (int from = 0; from < DOCUMENTS; from += 1_000) {
            whole.add(documents.subList(from, from + 1_000));
            split.add(documents.subList(from, from + 1_000));
        }
    }

    @AfterAll
    void close() {
        instance.close();
    }

    private void same(String query) {
        String expected = SingleCore.query(whole.actor(0), query);
        assertThat(SingleCore.comparable(split.query(query))).as(query).isEqualTo(SingleCore.comparable(expected));
    }

    @SeededTest(seeds = 12)
    void generatedQueriesGiveTheSameAnswers(@Seed long seed) {
        QueryMaker maker = new QueryMaker(new Random(seed), documents);
        for (int i = 0; i < QUERIES_PER_SEED; i++) {
            same(maker.next());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*",
                "",
                "q=*:*&rows=0",
                "q=*:*&start=3990&rows=50",
                "q=*:*&sort=score desc,year_i desc&rows=30",
                "q=text:commission^=3&rows=20&fl=id,score",
                "q=text:commission^=3 text:europe^=2&rows=40&fl=id,score&sort=score asc",
                "q={!func}length_l&rows=20&fl=id,score",
                "q={!boost b=year_i}*:*&rows=20&fl=id,score",
                "q=commission&fq=text:commission&sort=length_l desc",
                "q=commission europe&q.op=AND&sort=date_dt desc,id desc",
                "q=commission europe&q.op=or&df=title&sort=date_dt desc,id desc",
                "q=the commission&defType=edismax&qf=text^2 title&mm=100%25&sort=id asc&rows=100&fl=id",
                "q=the commission president&defType=edismax&qf=text&mm=2<-1&pf=text&ps=3&tie=0.1&sort=year_i asc",
                "q=&q.alt=*:*&defType=edismax&rows=3",
                "q=*:*&fl=*,score&rows=5",
                "q=*:*&fl=id&fl=year_i,even_b&rows=5&sort=year_i asc",
                "q=*:*&fl=ye*,i?&rows=5",
                "q=id:(e1 e2 e3 e77 nope)&fl=*&sort=id asc",
                "q=*:*&rows=0&facet=true&facet.field=year_i&facet.field=even_b&facet.field=first_s",
                "q=*:*&rows=0&facet=true&facet.field=words_ss&facet.limit=5&facet.mincount=2&facet.sort=index",
                "q=*:*&rows=0&facet=true&facet.field=words_ss&facet.limit=1",
                "q=*:*&rows=0&facet=true&facet.field=text&facet.limit=20",
                "q=*:*&rows=0&facet=true&facet.field=words_ss&facet.limit=0",
                "q=*:*&rows=0&facet=true&facet.field=date_dt&facet.limit=4&f.date_dt.facet.mincount=3",
                "q=*:*&rows=2&facet=true&facet.field=first_s&f.first_s.facet.prefix=co&facet.offset=2&facet.limit=3",
                "q=*:*&rows=0&facet=false&facet.field=first_s",
                "q=*:*&rows=0&facet=true",
                "q=text:nosuchwordanywhere&facet=true&facet.field=first_s&facet.mincount=1",
                "q=text:\"is also\"&sort=id asc&fl=id",
                "q=text:\"of the\"~4&sort=id asc&fl=id&rows=50",
                "q=text:[a TO b]&sort=id asc&fl=id",
                "q=text:/comm.*n/&sort=id asc&fl=id",
                "q=-text:commission&sort=id asc&fl=id",
                "q=_query_:\"{!term f=first_s}the\"&sort=id asc&fl=id,first_s",
                "q={!bool must=text:commission must_not=even_b:true}&sort=id asc&fl=id",
                "q={!field f=text}the commission&sort=id asc&fl=id",
                "q=text:é*&sort=id asc&fl=id,text&rows=3",
                "q=*:*&omitHeader=true&wt=json&echoParams=none&rows=1",
            })
    void writtenQueriesGiveTheSameAnswers(String query) {
        same(query);
    }

    @Test
    void byScoreTheSameDocumentsAreFound() {
        String query = "q=commission&fl=id&rows=4000";
        assertThat(SingleCore.ids(split.query(query)))
                .containsExactlyInAnyOrderElementsOf(SingleCore.ids(SingleCore.query(whole.actor(0), query)))
                .hasSizeGreaterThan(100);
    }

    @Test
    void pagesOfEqualScoresNeitherRepeatNorMiss() {
        List<String> once = SingleCore.ids(split.query("q=even_b:true^=1&fl=id&rows=300"));
        List<String> pages = new ArrayList<>();
        for (int start = 0; start < 300; start += 30) {
            pages.addAll(SingleCore.ids(split.query("q=even_b:true^=1&fl=id&rows=30&start=" + start)));
        }
        assertThat(pages).isEqualTo(once).doesNotHaveDuplicates();
    }

    @Test
    void equalAnswersAreEqualBytes() {
        String query = "q=commission&rows=20&facet=true&facet.field=words_ss";
        assertThat(split.query(query)).isEqualTo(split.query(query));
    }
}
