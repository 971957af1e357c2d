package io.uniserve.lucene;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.similarities.Similarity;
import org.jspecify.annotations.Nullable;

/** Statistics on which the scores of one query depend, for its terms and fields. Not thread-safe. */
public final class QueryTermStatistics {
    private final Map<Term, TermStatistics> terms = new TreeMap<>();
    private final Map<String, CollectionStatistics> fields = new TreeMap<>();

    private QueryTermStatistics() {}

    /**
     * Collects the statistics of a query in an index.
     *
     * @param source the statistics; null for Lucene's own, with deleted documents
     * @param more fields that may be needed in addition
     */
    public static QueryTermStatistics of(
            Query query,
            IndexReader index,
            Similarity similarity,
            @Nullable StatisticsSource source,
            Collection<String> more)
            throws IOException {
        QueryTermStatistics asked = new QueryTermStatistics();
        IndexSearcher searcher = new IndexSearcher(index) {
            @Override
            public @Nullable CollectionStatistics collectionStatistics(String field) throws IOException {
                CollectionStatistics own = super.collectionStatistics(field);
                CollectionStatistics given = source == null ? own : source.ofField(field);
                if (given != null) {
                    asked.fields.put(field, given);
                }
                return own;
            }

            @Override
            public TermStatistics termStatistics(Term term, int docFreq, long totalTermFreq) throws IOException {
                TermStatistics own = super.termStatistics(term, docFreq, totalTermFreq);
                TermStatistics given = source == null ? own : source.ofTerm(term);
                if (given != null) {
                    asked.terms.put(term, given);
                }
                return own;
            }
        };
        searcher.setSimilarity(similarity);
        searcher.setQueryCache(null);
        searcher.createWeight(searcher.rewrite(query), ScoreMode.COMPLETE, 1);
        for (String field : more) {
            searcher.collectionStatistics(field);
        }
        return asked;
    }

    /** Returns the statistics of terms that occur in a document, by term. */
    public Map<Term, TermStatistics> terms() {
        return terms;
    }

    /** Returns the statistics of fields that occur in a document, by field. */
    public Map<String, CollectionStatistics> fields() {
        return fields;
    }

    /** Returns a 64-bit fingerprint of the statistics. */
    public long fingerprint() {
        StringBuilder all = new StringBuilder();
        terms.forEach((term, its) -> all.append("%s %d %d\n".formatted(term, its.docFreq(), its.totalTermFreq())));
        fields.forEach((field, its) -> all.append("%s %d %d %d %d\n"
                .formatted(field, its.maxDoc(), its.docCount(), its.sumTotalTermFreq(), its.sumDocFreq())));
        return fingerprint(all.toString());
    }

    /** Returns a 64-bit fingerprint of a text. */
    public static long fingerprint(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return ByteBuffer.wrap(digest.digest(text.getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }
}
