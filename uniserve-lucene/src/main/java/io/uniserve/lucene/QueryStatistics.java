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

/** The statistics that the scores of one query depend on, as its terms and fields have them. Not thread-safe. */
public final class QueryStatistics {
    private final Map<Term, TermStatistics> terms = new TreeMap<>();
    private final Map<String, CollectionStatistics> fields = new TreeMap<>();

    private QueryStatistics() {}

    /**
     * What a query asks for in an index.
     *
     * @param source those to give; null for Lucene's own, of deleted documents too
     * @param more fields that it may need elsewhere
     */
    public static QueryStatistics of(
            Query query,
            IndexReader index,
            Similarity similarity,
            @Nullable StatisticsSource source,
            Collection<String> more)
            throws IOException {
        QueryStatistics asked = new QueryStatistics();
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

    /** By term, those of terms that some document has. */
    public Map<Term, TermStatistics> terms() {
        return terms;
    }

    /** By field, those of fields that some document has. */
    public Map<String, CollectionStatistics> fields() {
        return fields;
    }

    /** A number that other statistics do not have, but for one chance in 2^64. */
    public long fingerprint() {
        StringBuilder all = new StringBuilder();
        terms.forEach((term, its) -> all.append("%s %d %d\n".formatted(term, its.docFreq(), its.totalTermFreq())));
        fields.forEach((field, its) -> all.append("%s %d %d %d %d\n"
                .formatted(field, its.maxDoc(), its.docCount(), its.sumTotalTermFreq(), its.sumDocFreq())));
        return fingerprint(all.toString());
    }

    /** A number that other texts do not have, but for one chance in 2^64. */
    public static long fingerprint(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return ByteBuffer.wrap(digest.digest(text.getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
