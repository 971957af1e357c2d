package io.uniserve.lucene;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.NumericUtils;
import org.junit.jupiter.api.Test;

class QueryFieldExtractorTest {
    @Test
    void fieldsOfAllTermsAndThoseOfBytes() {
        byte[] number = new byte[Integer.BYTES];
        NumericUtils.intToSortableBytes(2, number, 0);
        Query query = new BooleanQuery.Builder()
                .add(new TermQuery(new Term("title", "é東")), BooleanClause.Occur.SHOULD)
                .add(new TermQuery(new Term("grade", new BytesRef(number))), BooleanClause.Occur.MUST)
                .add(new PhraseQuery("text", "of", "the"), BooleanClause.Occur.SHOULD)
                .build();
        assertThat(QueryFieldExtractor.of(query)).containsExactly("grade", "text", "title");
        assertThat(QueryFieldExtractor.ofBinaryTerms(query)).containsExactly("grade");
        assertThat(QueryFieldExtractor.of(new MatchAllDocsQuery())).isEmpty();
    }
}
