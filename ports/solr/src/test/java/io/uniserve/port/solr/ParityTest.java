package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole answers of a table of several actors against those of one Solr core that holds all documents: Europarl. */
class ParityTest extends Parity {
    ParityTest() {
        super(Europarl.documents(DOCUMENTS));
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q={!edismax qf=text v=$qq}&qq=commission europe&sort=id asc&fl=id",
                "q=text:${word}&word=commission&sort=id asc&fl=id",
                "q={!func}sum(year_i,$n)&n=3&fl=id,score&rows=3",
                "q={!term f=first_s v=the}&fq={!bool filter=even_b:true must_not='year_i:1999'}&sort=id asc&fl=id",
                "q=*:*&sort=if(even_b,length_l,0) desc,year_i asc&rows=12&fl=id,l:length_l",
                "q=*:*&cursorMark=*&sort=year_i desc,id asc&rows=7",
                "json={query:'text:commission',filter:['even_b:true'],sort:'id asc',fields:[id],limit:4,offset:2}",
                "json={query:{edismax:{query:'commission europe',qf:text}},sort:'id asc',fields:id,limit:3}",
                "q=*:*&rows=0&json={facet:{y:{terms:year_i}}}",
                "q=*:*&rows=0&json.facet={y:{terms:{field:year_i,limit:2,facet:{l:'avg(length_l)',b:{terms:even_b}}}}}",
                "q=*:*&rows=0&json.facet={h:'hll(year_i)',m:'missing(first_s)',u:'unique(year_i)'}",
                "q=*:*&rows=0&json.facet={f:{type:terms,field:first_s,limit:2,sort:'l desc',facet:{l:'max(length_l)'}}}",
                "q=even_b:true&rows=0&json.facet={a:{domain:{query:'*:*'},type:query,q:'year_i:1999'}}",
                "q=*:*&rows=0&stats=true&stats.field={!min=true max=true}date_dt&stats.field={!percentiles='50'}even_b_none_i",
                "q=*:*&rows=0&stats=true&stats.field={!tag=s sum=true}length_l&facet=true&facet.pivot={!stats=s}year_i,even_b",
                "q=text:commission&fl=id&hl=true&hl.fl=t*&hl.snippets=2&sort=id asc&hl.tag.pre=[&hl.tag.post=]",
                "q=text:comm*&fl=id&hl=true&hl.method=original&hl.fragsize=40&sort=id asc&rows=5",
                "q=*:*&group=true&group.field=year_i&group.limit=2&group.offset=1&sort=id asc&fl=id&group.ngroups=true",
                "q=commission europe parliament&distrib.statsCache=true&fl=id,score&rows=25",
                "q=text:\"biological diversity\"&distrib.statsCache=true&fl=id,score",
                "q=text:\"of the\"~4 text:\"genetic resources\"&distrib.statsCache=true&fl=id,score&rows=30",
                "q=text:diversity title:\"nosuch words\"&distrib.statsCache=true&fl=id,score&rows=30",
                "q=commission europe&distrib.statsCache=true&defType=edismax&qf=text^3 title&pf=text&bf=log(length_l)^0.5"
                        + "&boost=recip(length_l,1,1000,1000)&fl=id,score&rows=25",
                "q={!surround df=text}3w(the,commission)&sort=id asc&fl=id",
                "q={!complexphrase inOrder=true}text:\"the comm*\"&sort=id asc&fl=id",
                "q={!simple f=text}the %2Bcommission -europe&sort=id asc&fl=id",
                "q={!maxscore}text:commission^=2 text:europe^=3&fl=id,score&rows=30",
                "q=*:*&fq=filter(even_b:true) AND year_i:1999&sort=id asc&fl=id",
                "q=*:*&rows=2&sort=id asc&fl=id,[value v=3 t=int],s:sum(year_i,1),c:concat(first_s,\"-\",title)",
                "q=*:*&facet=true&facet.query={!key=e tag=x}even_b:true&facet.query=year_i:[2000 TO *]&rows=0",
                "q=*:*&fq=date_dt:[NOW-90YEARS/DAY TO NOW]&NOW=1700000000000&rows=1&sort=id asc",
            })
    void writtenQueriesOfEveryFeatureGiveTheSameAnswers(String query) {
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
