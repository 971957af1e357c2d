package io.uniserve.port.solr.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.solr.common.SolrDocument;
import org.apache.solr.common.SolrDocumentList;
import org.apache.solr.common.util.NamedList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AnswerRowCounterTest {
    private static NamedList<Object> named(@Nullable Object... pairs) {
        NamedList<Object> list = new NamedList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            list.add((String) pairs[i], pairs[i + 1]);
        }
        return list;
    }

    private static SolrDocumentList documents(int count) {
        SolrDocumentList list = new SolrDocumentList();
        for (int i = 0; i < count; i++) {
            list.add(new SolrDocument());
        }
        list.setNumFound(1_000_000);
        return list;
    }

    @Test
    void documentsCountAlsoInGroups() {
        assertThat(AnswerRowCounter.rows(named("responseHeader", named("rows", "5"), "response", documents(3))))
                .isEqualTo(3);
        Object groups = List.of(named("groupValue", "a", "doclist", documents(2)), named("doclist", documents(1)));
        assertThat(AnswerRowCounter.rows(named("grouped", named("shop", named("matches", 9, "groups", groups)))))
                .isEqualTo(3);
        assertThat(AnswerRowCounter.rows(named("doc", new SolrDocument()))).isEqualTo(1);
        assertThat(AnswerRowCounter.rows(named("response", documents(0)))).isZero();
    }

    @Test
    void termsRangesAndPivotsOfFacetsCount() {
        Object ranges = named("price", named("counts", named("0", 1, "10", 2), "gap", 10, "start", 0, "end", 20));
        Object below = List.of(named("field", "b", "value", "x", "count", 1));
        Object pivot = List.of(
                named("field", "a", "value", "p", "count", 2, "pivot", below),
                named("field", "a", "value", "q", "count", 1));
        Object facets = named(
                "facet_queries", named("q1", 1),
                "facet_fields", named("shop", named("Rome", 1, "Oslo", 2, null, 0)),
                "facet_ranges", ranges,
                "facet_pivot", named("a,b", pivot));
        assertThat(AnswerRowCounter.rows(named("facet_counts", facets))).isEqualTo(1 + 3 + 2 + 3);
    }

    @Test
    void bucketsOfJsonFacetsCountAtEveryLevel() {
        Object inner = named("buckets", List.of(named("val", 1, "count", 1), named("val", 2, "count", 1)));
        Object outer =
                named("count", 9, "shops", named("buckets", List.of(named("val", "Rome", "count", 2, "by", inner))));
        assertThat(AnswerRowCounter.rows(named("response", documents(0), "facets", outer)))
                .isEqualTo(3);
    }
}
