package io.uniserve.port.solr;

import io.uniserve.lucene.BestHitsCollector;
import io.uniserve.lucene.QueryFieldExtractor;
import io.uniserve.port.solr.query.CancellationChecker;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Predicate;
import org.apache.lucene.queries.function.ValueSource;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopDocsCollector;
import org.apache.lucene.util.BytesRef;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.FacetParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.handler.component.FacetComponent;
import org.apache.solr.handler.component.ResponseBuilder;
import org.apache.solr.handler.component.ShardRequest;
import org.apache.solr.request.SimpleFacets;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.search.DocSet;
import org.apache.solr.search.ExportQParserPlugin.ExportQuery;
import org.apache.solr.search.FunctionQParser;
import org.apache.solr.search.QueryCommand;
import org.apache.solr.search.QueryUtils;
import org.apache.solr.search.SyntaxError;
import org.apache.solr.search.ValueSourceParser;
import org.apache.solr.search.facet.HLLAgg;
import org.apache.solr.search.facet.UniqueAgg;
import org.apache.solr.search.stats.StatsUtil;
import org.apache.solr.util.hll.HLL;
import org.apache.solr.util.hll.HLLType;
import org.jspecify.annotations.Nullable;

/**
 * Solr's facet component, which also detects a term that no shard listed, so that Solr did not refine it, but that may belong to the
 * answer. It also sorts pages by score.
 */
public final class ExactFacets extends FacetComponent {
    @Override
    public void prepare(ResponseBuilder builder) throws IOException {
        super.prepare(builder);
        builder.setQuery(QueryUtils.makeQueryable(builder.getQuery())); // pages and groups drop purely negative ones
        var key = builder.req.getSchema().getUniqueKeyField();
        if (builder.req.getContext().containsKey(SolrQuery.class)) {
            // Otherwise Solr requests a group's documents only from shards that listed it among their first.
            builder.setNeedDocSet(builder.isNeedDocSet() || builder.grouping());
            // Otherwise a shard without a term of a phrase is omitted when the documents of a field are counted.
            String fields = StatsUtil.fieldsToString(QueryFieldExtractor.of(builder.getQuery()));
            builder.req.setParams(new ModifiableSolrParams(builder.req.getParams()).set("solr.stats.fields", fields));
            if (builder.req.getParams().getBool("distrib.statsCache", false)) {
                QueryFieldExtractor.ofBinaryTerms(builder.getQuery()).forEach(field -> {
                    throw SolrLanguage.TABLE.unsupported("distrib.statsCache=true with binary terms, of", field);
                });
            }
            return;
        }
        SolrCursor.check(builder, builder.getQuery());
        if (LivingStats.isRequested(builder.req)) {
            builder.setQuery(LivingStats.scoringQuery(builder));
        }
        if (String.valueOf(builder.getSortSpec().getSort())
                        .equals(SortField.FIELD_SCORE + "," + key.getSortField(false))
                && builder.req.getParams().get("cursorMark") == null
                && !builder.grouping()) {
            // Otherwise Solr scores the result again. An ExportQuery matches like the query that it wraps.
            builder.setRankQuery(new ExportQuery(null, null, null) {
                @Override
                public TopDocsCollector<?> getTopDocsCollector(int count, QueryCommand page, IndexSearcher searcher) {
                    return new BestHitsCollector(key.getName(), count, searcher);
                }
            });
        }
    }

    /** Returns Solr's facets, with regular expressions that end with the query. */
    @Override
    protected SimpleFacets newSimpleFacets(SolrQueryRequest req, DocSet docs, SolrParams params, ResponseBuilder rb) {
        return new SimpleFacets(req, docs, params, rb) {
            @Override
            protected @Nullable Predicate<BytesRef> newBytesRefFilter(String field, SolrParams asked) {
                var others = new ModifiableSolrParams(asked);
                others.getParameterNames().removeIf(name -> name.endsWith(FacetParams.FACET_MATCHES));
                String regex = asked.getFieldParam(field, FacetParams.FACET_MATCHES);
                return CancellationChecker.from(req.getContext())
                        .textPredicate(regex, BytesRef::utf8ToString, super.newBytesRefFilter(field, others));
            }
        };
    }

    @Override
    public void handleResponses(ResponseBuilder builder, ShardRequest request) {
        if (builder._facetInfo != null) {
            var queries = builder._facetInfo.queryFacets;
            super.handleResponses(builder, request);
            builder._facetInfo.queryFacets = queries; // a single core also returns those below the minimum
            SolrQuery.of(builder.req).exactFacets =
                    builder._facetInfo.facets.values().stream().allMatch(ExactFacets::isExact);
        }
    }

    private static boolean isExact(DistribFieldFacet facet) {
        if (facet.sort.equals(FacetParams.FACET_SORT_INDEX)) {
            // A shard's list may end before terms that reach the minimum in the sum over all shards.
            return facet.minCount <= 1 || facet.initialLimit <= 0;
        }
        long unseen = Arrays.stream(facet.missingMax).sum();
        ShardFacetCount[] seen = facet.getCountSorted();
        int wanted = facet.offset + facet.limit;
        if (unseen > 0 && facet.counts.containsKey("")) {
            return false; // a refinement request by name does not return this term
        }
        return unseen == 0 || unseen < facet.minCount || (seen.length >= wanted && unseen < seen[wanted - 1].count);
    }

    /** Solr's {@code unique}. With several actors each returns a hash of every value. Solr keeps 131,072 of them, or a sketch of more. */
    public static final class Unique extends ValueSourceParser {
        private static final int LOG = 17; // a sketch has 96 KiB and a computed error of at most 2.4 %
        private static final int WIDTH = 6;

        @Override
        public ValueSource parse(FunctionQParser parser) throws SyntaxError {
            return parser.getParam(CommonParams.DISTRIB) == null
                    ? new UniqueAgg(parser.parseArg())
                    : new HLLAgg(parser.parseArg()) {
                        {
                            factory = new HLLFactory() {
                                @Override
                                public HLL getHLL() {
                                    return new HLL(LOG, WIDTH, HLL.MAXIMUM_EXPTHRESH_PARAM, false, HLLType.EMPTY);
                                }
                            };
                        }
                    };
        }
    }
}
