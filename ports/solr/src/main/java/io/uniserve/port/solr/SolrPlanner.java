package io.uniserve.port.solr;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.common.util.SimpleOrderedMap;
import org.apache.solr.core.SolrCore;
import org.apache.solr.handler.RequestHandlerBase;
import org.apache.solr.request.SolrQueryRequestBase;
import org.apache.solr.request.SolrRequestInfo;
import org.apache.solr.response.BinaryResponseWriter;
import org.apache.solr.response.JacksonJsonWriter;
import org.apache.solr.response.SolrQueryResponse;

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
        ActorShards.Plan plan = new ActorShards.Plan(context, context.table(query.table()), new AtomicBoolean());
        ModifiableSolrParams params = SolrLanguage.parse(query.text());
        params.set(CommonParams.DISTRIB, true);
        Bytes body = run(params, plan);
        if (plan.refetch().get()) {
            params.set("facet.shard.limit", -1);
            body = run(params, plan);
        }
        return new Answer("application/json", body);
    }

    private Bytes run(ModifiableSolrParams params, ActorShards.Plan plan) {
        Map<String, Object> context = Map.of(ActorShards.PLAN, plan);
        return SolrFailure.translated(
                "plan the query",
                () -> select(planning.get(), params, Map.of("status", 0), context, new JacksonJsonWriter()));
    }

    /**
     * Runs Solr's {@code /select} on a core, without the logging and metrics that a web request has. The header has no
     * QTime, so that equal answers are equal bytes.
     */
    static Bytes select(
            SolrCore core,
            SolrParams params,
            Map<String, Object> headers,
            Map<String, Object> context,
            BinaryResponseWriter writer)
            throws Exception {
        SolrQueryResponse response = new SolrQueryResponse();
        SimpleOrderedMap<Object> header = new SimpleOrderedMap<>();
        header.addAll(headers);
        response.addResponseHeader(header);
        try (SolrQueryRequestBase request = new SolrQueryRequestBase(core, params) {}) {
            request.getContext().put("path", HANDLER);
            request.getContext().putAll(context);
            SolrRequestInfo.setRequestInfo(new SolrRequestInfo(request, response));
            try {
                ((RequestHandlerBase) core.getRequestHandler(HANDLER)).handleRequestBody(request, response);
                if (SolrQueryResponse.isPartialResults(header)) {
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
}
