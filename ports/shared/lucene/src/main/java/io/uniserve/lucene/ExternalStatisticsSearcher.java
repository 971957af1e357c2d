package io.uniserve.lucene;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.lucene.index.FieldInvertState;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MultiPhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SynonymQuery;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.Weight;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/**
 * Searcher that scores by given statistics, independent of its own index. Lucene uses the statistics of terms in the index, deleted
 * documents included. Queries that add up several terms, such as synonyms, would then depend on the terms of the index. Here they get the
 * statistics of all their terms.
 */
public final class ExternalStatisticsSearcher extends IndexSearcher {
    private final StatisticsSource source;
    private final Predicate<Query> spans;

    /**
     * Searches an index on the caller's thread.
     *
     * @param spans the queries of Lucene's other modules that add up the statistics of all their terms, in term order
     */
    public ExternalStatisticsSearcher(
            IndexReader index, Similarity similarity, StatisticsSource source, Predicate<Query> spans) {
        super(index);
        this.source = source;
        this.spans = spans;
        setSimilarity(similarity);
        setQueryCache(null);
    }

    @Override
    public @Nullable CollectionStatistics collectionStatistics(String field) throws IOException {
        CollectionStatistics given = source.ofField(field);
        return given == null ? super.collectionStatistics(field) : given; // null: only deleted documents have it
    }

    @Override
    public TermStatistics termStatistics(Term term, int docFreq, long totalTermFreq) throws IOException {
        TermStatistics given = source.ofTerm(term);
        return given == null ? new TermStatistics(term.bytes(), 1, 1) : given;
    }

    @Override
    public Weight createWeight(Query query, ScoreMode mode, float boost) throws IOException {
        List<Term> terms = added(query);
        if (terms.isEmpty() || !mode.needsScores()) {
            return super.createWeight(query, mode, boost);
        }
        List<TermStatistics> known = new ArrayList<>();
        for (Term term : terms) {
            TermStatistics given = source.ofTerm(term);
            if (given != null) {
                known.add(given);
            }
        }
        if (query instanceof SynonymQuery && !known.isEmpty()) {
            // Combined as Lucene does it for a single term.
            known = List.of(new TermStatistics(
                    new BytesRef("synonyms"),
                    known.stream().mapToLong(TermStatistics::docFreq).max().orElseThrow(),
                    known.stream().mapToLong(TermStatistics::totalTermFreq).sum()));
        }
        IndexSearcher together = new ExternalStatisticsSearcher(getIndexReader(), withTerms(known), source, spans);
        return query.createWeight(together, mode, boost);
    }

    /** Returns the terms whose statistics a query adds up, in its order; empty for other queries. */
    private List<Term> added(Query query) {
        if (query instanceof SynonymQuery synonyms) {
            return synonyms.getTerms();
        }
        if (query instanceof MultiPhraseQuery phrase) {
            return Arrays.stream(phrase.getTermArrays()).flatMap(Arrays::stream).toList();
        }
        TreeSet<Term> terms = new TreeSet<>();
        if (spans.test(query)) {
            query.visit(QueryVisitor.termCollector(terms));
        }
        return List.copyOf(terms);
    }

    private Similarity withTerms(List<TermStatistics> terms) {
        Similarity own = getSimilarity();
        return new Similarity() {
            @Override
            public long computeNorm(FieldInvertState state) {
                return own.computeNorm(state);
            }

            @Override
            public SimScorer scorer(float boost, CollectionStatistics field, TermStatistics... local) {
                return own.scorer(boost, field, terms.toArray(TermStatistics[]::new));
            }
        };
    }
}
