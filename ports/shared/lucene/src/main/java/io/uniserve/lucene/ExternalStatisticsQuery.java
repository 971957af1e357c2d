package io.uniserve.lucene;

import java.io.IOException;
import java.util.function.Predicate;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Weight;

/** Query that is scored by a {@link ExternalStatisticsSearcher}, under every searcher. It matches like the query that it wraps. */
public final class ExternalStatisticsQuery extends Query {
    private final Query query;
    private final StatisticsSource source;
    private final Predicate<Query> spans;

    /**
     * Wraps a query.
     *
     * @param source is called when the query is about to run
     * @param spans see {@link ExternalStatisticsSearcher}
     */
    public ExternalStatisticsQuery(Query query, StatisticsSource source, Predicate<Query> spans) {
        this.query = query;
        this.source = source;
        this.spans = spans;
    }

    @Override
    public Query rewrite(IndexSearcher searcher) throws IOException {
        Query rewritten = query.rewrite(searcher);
        return rewritten.equals(query) ? this : new ExternalStatisticsQuery(rewritten, source, spans);
    }

    @Override
    public Weight createWeight(IndexSearcher searcher, ScoreMode mode, float boost) throws IOException {
        return new ExternalStatisticsSearcher(searcher.getIndexReader(), searcher.getSimilarity(), source, spans)
                .createWeight(query, mode, boost);
    }

    @Override
    public void visit(QueryVisitor visitor) {
        query.visit(visitor);
    }

    @Override
    public String toString(String field) {
        return query.toString(field);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ExternalStatisticsQuery that && query.equals(that.query) && source.equals(that.source);
    }

    @Override
    public int hashCode() {
        return 31 * query.hashCode() + source.hashCode();
    }
}
