package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Complete answers of a table of several actors, compared with one Solr core with all documents: Europarl. */
class ParityTest extends Parity {
    ParityTest() {
        super(Europarl.documents(DOCUMENTS));
    }

    /** Names that users give to fields, and vectors in functions. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=commission first:the&defType=edismax&qf=text&uf=first&f.first.qf=first_s&sort=id asc&fl=id&rows=30",
                "q=who:(commission europe)&defType=edismax&qf=text&f.who.qf=text^2 title&mm=1&distrib.statsCache=true&fl=id,score",
                "q=*:*&rows=5&sort=id asc&fl=id,a:vectorSimilarity(FLOAT32,COSINE,at_v2,[0.3,0.9])",
                "q=*:*&rows=0&facet=true&facet.field=even_b&json.nl=arrarr",
            })
    void namesOfTheUsersAndVectors(String query) {
        same(query);
    }

    /** Words before a bracket, or in the form of a local parameter, that resemble a function or a parser but are only words. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=text:\"scale (the\"&sort=id asc&fl=id",
                "q=text:(commission top (europe)) ord(the)&sort=id asc&fl=id",
                "q=the top (europe) idf (commission)&defType=edismax&qf=text title&sort=id asc&fl=id&rows=20",
                "q={!edismax qf=text mm=1 tag=t}scale (europe)&sort=id asc&fl=id&facet=true&facet.field={!ex=t}even_b",
                "q={!field f=text}sleep (dog)&fq={!tag=a}text:(scale (the))&sort=id asc&fl=id",
                "q=text:\"type=join\" text:top (of)&bq=top (the)&sort=id asc&fl=id",
                "q=*:*&rows=0&facet=true&facet.query=text:(top (the))&facet.query={!key=k}text:\"type = graph\"",
                "q=*:*&group=true&group.query=text:(rord (the))&fl=id&sort=id asc",
                "q=*:*&rows=0&facet=true&facet.field=first_s&facet.prefix=top (",
                "q=*:*&fq={!terms f=first_s}top (a),the&sort=id asc&fl=id",
            })
    void wordsAreNoFunctions(String query) {
        same(query);
    }

    @Test
    void byScoreTheSameDocumentsAreFound() {
        String query = "q=commission&fl=id&rows=4000";
        assertThat(SingleCore.ids(split.query(query)))
                .containsExactlyInAnyOrderElementsOf(SingleCore.ids(plain.query(query)))
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
