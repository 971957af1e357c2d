package io.uniserve.lucene;

import java.io.IOException;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.util.Bits;
import org.jspecify.annotations.Nullable;

/**
 * Statistics for scores over an index's live documents. Lucene's own also count deleted documents until their segments are merged, so they
 * differ between replicas of an index. These depend on the documents alone. A segment without deletions costs no more than with Lucene. For
 * other segments the postings of each term are read, and once those of the field.
 */
public final class LiveDocumentStatistics implements StatisticsSource {
    private final IndexReader index;

    /** Creates the statistics of an index, which must stay open. */
    public LiveDocumentStatistics(IndexReader index) {
        this.index = index;
    }

    @Override
    public @Nullable CollectionStatistics ofField(String field) throws IOException {
        long documents = 0;
        long tokens = 0;
        long terms = 0;
        for (LeafReaderContext leaf : index.leaves()) {
            Terms all = leaf.reader().terms(field);
            if (all != null) {
                Bits live = leaf.reader().getLiveDocs();
                FieldLengths.Sums dead = live == null
                        ? new FieldLengths.Sums(0, 0, 0)
                        : FieldLengths.deleted(leaf.reader(), field, all, live);
                documents += all.getDocCount() - dead.documents();
                tokens += all.getSumTotalTermFreq() - dead.tokens();
                terms += all.getSumDocFreq() - dead.terms();
            }
        }
        return documents == 0 ? null : new CollectionStatistics(field, index.numDocs(), documents, tokens, terms);
    }

    @Override
    public @Nullable TermStatistics ofTerm(Term term) throws IOException {
        long documents = 0;
        long occurrences = 0;
        for (LeafReaderContext leaf : index.leaves()) {
            LeafReader segment = leaf.reader();
            Bits live = segment.getLiveDocs();
            Terms all = segment.terms(term.field());
            TermsEnum found = all == null ? null : all.iterator();
            if (found == null || !found.seekExact(term.bytes())) {
                continue;
            }
            if (live == null) {
                documents += found.docFreq();
                occurrences += found.totalTermFreq();
                continue;
            }
            PostingsEnum postings = found.postings(null, PostingsEnum.FREQS);
            for (int doc = postings.nextDoc(); doc != DocIdSetIterator.NO_MORE_DOCS; doc = postings.nextDoc()) {
                if (live.get(doc)) {
                    documents++;
                    occurrences += postings.freq();
                }
            }
        }
        return documents == 0 ? null : new TermStatistics(term.bytes(), documents, occurrences);
    }
}
