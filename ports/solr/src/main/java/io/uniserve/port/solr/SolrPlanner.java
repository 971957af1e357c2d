package io.uniserve.port.solr;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.solr.ActorShards.Plan;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.FacetParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.common.util.SimpleOrderedMap;
import org.apache.solr.core.SolrCore;
import org.apache.solr.handler.RequestHandlerBase;
import org.apache.solr.handler.component.FacetComponent;
import org.apache.solr.handler.component.ResponseBuilder;
import org.apache.solr.request.LocalSolrQueryRequest;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.request.SolrRequestInfo;
import org.apache.solr.response.BinaryResponseWriter;
import org.apache.solr.response.JacksonJsonWriter;
import org.apache.solr.response.SolrQueryResponse;
import org.jspecify.annotations.Nullable;

/**
 * Plans Solr's parameter language: checks the parameters, then lets Solr's distributed {@code /select} run on an empty
 * core with the table's actors as its shards. Answers are Solr's JSON.
 *
 * @param planning the core, once the engine is open
 */
record SolrPlanner(Supplier<SolrCore> planning) implements Planner {
    private static final String HANDLER = "/select";

    @Override
    public Answer answer(QueryText query, PlanContext context) {
        Plan plan = new Plan(context, context.table(query.table()), new AtomicBoolean());
        ModifiableSolrParams params = SolrLanguage.parse(query.text());
        params.set(CommonParams.DISTRIB, true);
        Bytes body = run(params, plan);
        if (plan.refetch().get()) {
            params.set("facet.shard.limit", -1);
            body = run(params, plan);
        }
        return new Answer("application/json", body);
    }

    private Bytes run(ModifiableSolrParams params, Plan plan) {
        return SolrEngine.SOLR.translated(
                "plan the query",
                () -> select(planning.get(), params, Map.of("status", 0), plan, new JacksonJsonWriter()));
    }

    /**
     * Runs Solr's {@code /select} on a core, without the logging and metrics that a web request has. The header has no
     * QTime, so that equal answers are equal bytes.
     */
    static Bytes select(
            SolrCore core,
            SolrParams params,
            Map<String, Object> header,
            @Nullable Plan plan,
            BinaryResponseWriter writer)
            throws Exception {
        SolrQueryResponse response = new SolrQueryResponse();
        SimpleOrderedMap<Object> solrHeader = new SimpleOrderedMap<>();
        header.forEach(solrHeader::add);
        response.addResponseHeader(solrHeader);
        try (SolrQueryRequest request = new LocalSolrQueryRequest(core, params)) {
            request.getContext().put("path", HANDLER);
            request.getContext().put(ActorShards.PLAN, plan);
            SolrRequestInfo.setRequestInfo(new SolrRequestInfo(request, response));
            try {
                ((RequestHandlerBase) core.getRequestHandler(HANDLER)).handleRequestBody(request, response);
                if (SolrQueryResponse.isPartialResults(response.getResponseHeader())) {
                    throw new UniserveException(
                            ErrorCode.DEADLINE_EXCEEDED, "the query's deadline passed while Solr searched");
                }
                if (params.getBool(CommonParams.OMIT_HEADER, false)) {
                    response.removeResponseHeader();
                }
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                writer.write(out, request, response);
                return Bytes.wrap(out.toByteArray());
            } finally {
                SolrRequestInfo.clearRequestInfo();
            }
        }
    }

    /**
     * Solr's facets, which also say when they may not be exact: Solr refines the counts of terms that some shard listed
     * among its top, but a term that none listed may belong to the answer where its possible count reaches the answer's
     * last. The planner then asks again for all terms. Named in {@code solrconfig.xml}.
     */
    public static final class ExactFacets extends FacetComponent {
        @Override
        public void finishStage(ResponseBuilder builder) {
            if (builder.doFacets && builder.getStage() == ResponseBuilder.STAGE_GET_FIELDS) {
                Plan.current()
                        .refetch()
                        .set(!builder._facetInfo.facets.values().stream().allMatch(ExactFacets::isExact));
            }
            super.finishStage(builder);
        }

        private static boolean isExact(DistribFieldFacet facet) {
            if (facet.sort.equals(FacetParams.FACET_SORT_INDEX)) {
                // A shard's list may end before terms that reach the minimum in all shards together.
                return facet.minCount <= 1 || facet.initialLimit <= 0;
            }
            long unseen = Arrays.stream(facet.missingMax).sum();
            ShardFacetCount[] seen = facet.getCountSorted();
            int wanted = facet.offset + facet.limit;
            return unseen == 0 || unseen < facet.minCount || (seen.length >= wanted && unseen < seen[wanted - 1].count);
        }
    }
}
