package io.uniserve.port.solr;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.lucene.ExternalStatisticsQuery;
import io.uniserve.lucene.LiveDocumentStatistics;
import io.uniserve.lucene.QueryTermStatistics;
import io.uniserve.lucene.StatisticsSource;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.lucene.index.Term;
import org.apache.lucene.queries.spans.SpanQuery;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermStatistics;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.ShardParams;
import org.apache.solr.handler.component.ResponseBuilder;
import org.apache.solr.handler.component.ShardRequest;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.search.SolrIndexSearcher;
import org.apache.solr.search.stats.CollectionStats;
import org.apache.solr.search.stats.ExactStatsCache;
import org.apache.solr.search.stats.StatsSource;
import org.apache.solr.search.stats.StatsUtil;
import org.apache.solr.search.stats.TermStats;
import org.jspecify.annotations.Nullable;

/** Exact term statistics over the live documents of all actors, which are the same on every replica. Named in {@code solrconfig.xml}. */
public final class LivingStats extends ExactStatsCache {
    /** True if the query requests them. */
    static boolean isRequested(SolrQueryRequest request) {
        return request.getParams().getBool(CommonParams.DISTRIB_STATS_CACHE, false);
    }

    /** True if a request to an actor has this purpose; a whole query has all purposes. */
    static boolean hasPurpose(SolrQueryRequest request, int purpose, boolean whole) {
        int told = request.getParams().getInt(ShardParams.SHARDS_PURPOSE, 0);
        return told == 0 ? whole : (told & purpose) != 0;
    }

    /** Returns the query of one actor, scored by the statistics of all actors, or by its own if no other actor is called. */
    static Query scoringQuery(ResponseBuilder builder) {
        return hasPurpose(builder.req, ShardRequest.PURPOSE_GET_TERM_STATS, false)
                ? builder.getQuery()
                : new ExternalStatisticsQuery(builder.getQuery(), source(builder.req), SpanQuery.class::isInstance);
    }

    private static StatisticsSource source(SolrQueryRequest request) {
        return request.getParams().get(COL_STATS_KEY) == null
                ? new LiveDocumentStatistics(request.getSearcher().getIndexReader())
                : new ReceivedStatistics(request);
    }

    /** Returns the statistics on which the query's scores depend at this actor: of its live documents, or of its index. */
    static QueryTermStatistics of(ResponseBuilder builder, Query query, boolean living) throws IOException {
        SolrIndexSearcher searcher = builder.req.getSearcher();
        return QueryTermStatistics.of(
                searcher.rewrite(query),
                searcher.getIndexReader(),
                searcher.getSimilarity(),
                living ? new LiveDocumentStatistics(searcher.getIndexReader()) : null,
                StatsUtil.fieldsFromString(builder.req.getParams().get(FIELDS_KEY)));
    }

    @Override
    protected void doReturnLocalStats(ResponseBuilder builder, SolrIndexSearcher searcher) {
        try {
            QueryTermStatistics own = of(builder, builder.getQuery(), true);
            Map<String, TermStats> terms = new HashMap<>();
            own.terms().forEach((term, its) -> terms.put(term.toString(), new TermStats(term.field(), its)));
            Map<String, CollectionStats> fields = new HashMap<>();
            own.fields().forEach((field, its) -> fields.put(field, new CollectionStats(its)));
            if (!terms.isEmpty()) {
                builder.rsp.add(
                        TERMS_KEY, StatsUtil.termsToEncodedString(own.terms().keySet()));
                builder.rsp.add(TERM_STATS_KEY, StatsUtil.termStatsMapToString(terms));
            }
            if (!fields.isEmpty()) {
                builder.rsp.add(COL_STATS_KEY, StatsUtil.colStatsMapToString(fields));
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read the statistics of a query", e);
        }
    }

    /** Statistics that came with the request. Solr has read them before the request is scored. */
    private record ReceivedStatistics(SolrQueryRequest request) implements StatisticsSource {
        private StatsSource all() {
            return (StatsSource) Objects.requireNonNull(request.getContext().get(SolrIndexSearcher.STATS_SOURCE));
        }

        @Override
        public @Nullable CollectionStatistics ofField(String field) throws IOException {
            return all().collectionStatistics(null, field);
        }

        @Override
        public @Nullable TermStatistics ofTerm(Term term) throws IOException {
            return all().termStatistics(null, term, 1, 1);
        }
    }
}
