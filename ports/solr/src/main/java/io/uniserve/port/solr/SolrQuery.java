package io.uniserve.port.solr;

import io.uniserve.api.extra.EngineTask;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.solr.facet.DistinctBucketCounter;
import io.uniserve.port.solr.query.AnswerRowCounter;
import io.uniserve.port.solr.query.CancellationChecker;
import io.uniserve.port.solr.query.LanguageCapabilities;
import io.uniserve.port.solr.query.NestingDepthChecker;
import io.uniserve.port.solr.query.ParameterTextEncoder;
import io.uniserve.port.solr.query.ResponseDocuments;
import io.uniserve.port.solr.query.ShardRequestBatcher.Parameters;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.solr.common.SolrDocumentList;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.common.params.SolrParams;
import org.apache.solr.common.util.NamedList;
import org.apache.solr.common.util.SimpleOrderedMap;
import org.apache.solr.common.util.StrUtils;
import org.apache.solr.core.SolrCore;
import org.apache.solr.handler.RequestHandlerBase;
import org.apache.solr.request.LocalSolrQueryRequest;
import org.apache.solr.request.SolrQueryRequest;
import org.apache.solr.request.SolrRequestInfo;
import org.apache.solr.response.QueryResponseWriterUtil;
import org.apache.solr.response.SolrQueryResponse;
import org.apache.solr.search.QueryLimit;
import org.apache.solr.search.QueryParsing;
import org.apache.solr.servlet.SolrRequestParsers;
import org.apache.solr.util.SolrPluginUtils;
import org.apache.solr.util.TestInjection;
import org.jspecify.annotations.Nullable;

/** Planned execution of one query: it is checked, then run by Solr's distributed handlers, and repeated if facets are not exact. */
final class SolrQuery {
    /** Operator for a shard request: it answers Solr's parameters from one actor's core in Solr's binary format. */
    static final RetrieveOperator<SolrActor, PerActorParameters<Parameters>, Bytes> SHARD = RetrieveOperator.of(
            new RetrieveCall<>("solr.select@2", PerActorParameters.codec(Parameters.CODEC), Codecs.BYTES),
            SolrActor.class,
            SolrQuery::answerShard);
    /** Operator that answers a whole query from one actor's core. */
    static final RetrieveOperator<SolrActor, String, Answer> WHOLE =
            WholeQueryOperator.operator("solr.query@1", SolrActor.class, SolrQuery::answerWhole);

    static {
        // Adds a limit to every query, which Solr checks while it searches. Solr's hook for tests is the only way to
        // add one.
        TestInjection.queryTimeout = new QueryLimit() {
            @Override
            public boolean shouldExit() {
                SolrRequestInfo running = SolrRequestInfo.getRequestInfo();
                return running != null
                        && CancellationChecker.from(running.getReq().getContext())
                                .checkEnded();
            }

            @Override
            public Object currentValue() {
                return this;
            }
        };
    }

    final PlanContext context;
    final TableMeta table;
    final DistinctBucketCounter buckets = new DistinctBucketCounter();
    private final SolrCore core;
    /** True if the facets of this run count every term of the answer. */
    boolean exactFacets = true;
    /** Null unless a cursor depends on the called replicas. */
    @Nullable
    SolrCursor cursor;

    SolrQuery(PlanContext context, TableMeta table, SolrCore core) {
        this.context = context;
        this.table = table;
        this.core = core;
    }

    /** Returns the query of a distributed request. */
    static SolrQuery of(SolrQueryRequest request) {
        return (SolrQuery) Objects.requireNonNull(request.getContext().get(SolrQuery.class));
    }

    Answer answer(String text) throws Exception {
        ModifiableSolrParams params = params(core, text, table.keyField());
        if (!"/get".equals(params.get(CommonParams.QT))) { // it reads the newest state, in one round
            context.useRepeatableReads();
        }
        String lines = LanguageCapabilities.toLines(params);
        cursor = SolrCursor.of(params, lines, context.actors(table.name()));
        if (SolrCursor.dependsOnReplicas(params, lines)) {
            context.useStickyReplicas();
        }
        SolrParams nearest = QueryParsing.getLocalParams(params.get(CommonParams.Q), params);
        if (nearest != null && nearest.get(QueryParsing.TYPE, "").equals("knn")) {
            params.add(CommonParams.FQ, nearest(params, nearest.getInt("topK", 10)));
        }
        Answer answer = runExact(params);
        return exactFacets ? answer : runExact(params.set("facet.shard.limit", "-1"));
    }

    /** Parses and checks the parameters of a query, {@code name=value&...} with URL escapes, and adds the configset's defaults. */
    static ModifiableSolrParams params(SolrCore core, String text, String keyField) throws Exception {
        var asked = new ModifiableSolrParams(SolrRequestParsers.parseQueryString(ParameterTextEncoder.escaped(text)));
        NestingDepthChecker.check(LanguageCapabilities.toLines(asked));
        SolrLanguage.setHandler(asked);
        try (SolrQueryRequest request = new LocalSolrQueryRequest(core, asked)) {
            var handler = (RequestHandlerBase) core.getRequestHandler(asked.get(CommonParams.QT));
            SolrParams defaults = ((NamedList<?>) handler.getInitArgs().get("defaults")).toSolrParams();
            SolrPluginUtils.setDefaults(handler, request, defaults, null, null);
            return SolrLanguage.check(request, keyField);
        }
    }

    private Answer runExact(SolrParams params) throws Exception {
        return run(params, response -> {
            if (cursor != null) {
                cursor.finish(response);
            }
            buckets.writeCountsTo(response.getValues().get("facets"));
            // A single core returns the best score only with scores, and NaN for a group without documents.
            boolean scores = response.getReturnFields().wantsScore();
            ResponseDocuments.parts(response.getValues(), SolrDocumentList.class, found -> {
                boolean none = params.getBool("group", false) && found.getNumFound() == 0;
                found.setMaxScore(scores ? none ? Float.valueOf(Float.NaN) : found.getMaxScore() : null);
            });
            if ("/get".equals(params.get(CommonParams.QT)) && response.getResponse() instanceof SolrDocumentList got) {
                String key = core.getLatestSchema().getUniqueKeyField().getName();
                ResponseDocuments.inOrder(
                        got, one -> one.getFirstValue(key), StrUtils.splitSmart(params.get("ids"), ",", true));
            }
            if (params.getBool("group.ngroups", false)
                    && response.getValues().get("grouped") instanceof NamedList<?> grouped) {
                for (String field : Objects.requireNonNullElse(params.getParams("group.field"), new String[0])) {
                    countGroups(params, field, (NamedList<?>) grouped.get(field));
                }
            }
            return answer(response);
        });
    }

    private static Answer answer(SolrQueryResponse response) throws Exception {
        return new Answer("application/json", serialize(response, "json"))
                .withRows(AnswerRowCounter.rows(response.getValues()));
    }

    /** Returns a filter on the nearest documents of the whole table; each actor alone would find as many of its own. */
    private String nearest(SolrParams params, int count) throws Exception {
        String key = core.getLatestSchema().getUniqueKeyField().getName();
        ModifiableSolrParams first = new ModifiableSolrParams(params);
        first.getParameterNames().removeIf(name -> name.matches("(json.)?facet|hl|stats|group|cursorMark|start"));
        first.set("rows", count).set("fl", key).set("sort", "score desc," + key + " asc");
        var found = run(first, response -> (SolrDocumentList) response.getResponse()).stream();
        var ids = found.map(document -> document.getFirstValue(key).toString()).toList();
        String between = ParameterTextEncoder.between(ids);
        return ids.stream()
                .collect(Collectors.joining(between, "{!terms separator=" + between + " f=" + key + "}", ""));
    }

    /** Counts groups. Solr adds up the groups of its shards; here each counts once, by a facet query over all terms. */
    @SuppressWarnings("unchecked") // a group's part of an answer is a list of values of any type
    private void countGroups(SolrParams params, String field, NamedList<?> group) throws Exception {
        ModifiableSolrParams facet = new ModifiableSolrParams(params);
        facet.getParameterNames()
                .removeIf(name -> name.matches("(f\\..*\\.|json\\.)?facet(\\..*)?|group|hl|stats|cursorMark"));
        facet.set("rows", "0").set("facet", true).set("facet.field", field).set("facet.limit", "-1");
        facet.set("facet.mincount", 1).set("facet.missing", true);
        NamedList<Object> counts = new SolrQuery(context, table, core).run(facet, response -> (NamedList<Object>)
                ((NamedList<?>) response.getValues().get("facet_counts")).findRecursive("facet_fields", field));
        boolean missing = ((Number) counts.get(null)).longValue() > 0;
        ((NamedList<Object>) group).setVal(group.indexOf("ngroups", 0), counts.size() - (missing ? 0 : 1));
    }

    private <T> T run(SolrParams params, EngineTask<SolrQueryResponse, T> finish) throws Exception {
        SolrParams distributed = new ModifiableSolrParams(params).set(CommonParams.DISTRIB, true);
        try (SolrQueryRequest request = new LocalSolrQueryRequest(core, distributed)) {
            request.getContext().put(SolrQuery.class, this);
            return handle(request, finish);
        }
    }

    private static Bytes answerShard(SolrActor actor, OperatorContext context, PerActorParameters<Parameters> each) {
        var params = new ModifiableSolrParams(each.forActor(context.actor()).copy());
        SolrLanguage.checkShardRequest(params);
        return actor.withRequest(
                "answer a shard request",
                request -> handle(
                        limitedRequest(actor, request, context, params), response -> serialize(response, "javabin")));
    }

    private static Answer answerWhole(SolrActor actor, OperatorContext context, String text) {
        return actor.withRequest("answer the query", request -> {
            var params = params(request.getCore(), text, actor.context.meta().keyField());
            var cursor = SolrCursor.of(params, LanguageCapabilities.toLines(params), List.of(context.actor()));
            return handle(limitedRequest(actor, request, context, params), response -> {
                if (cursor != null) {
                    cursor.onReply(context.actor(), response.getValues());
                    cursor.finish(response);
                }
                return answer(response);
            });
        });
    }

    /** Limits the request: Solr's search ends with the query. */
    private static SolrQueryRequest limitedRequest(
            SolrActor actor, SolrQueryRequest request, OperatorContext context, ModifiableSolrParams params) {
        if ("/get".equals(params.get(CommonParams.QT))
                && (actor.pinnedSearcher != null || actor.context.meta().level().atomic())) {
            throw UniserveException.unsupported("qt=/get in sessions or with atomic updates: use q={!term f=id}...");
        }
        request.setParams(params.set(SolrCursor.ACTOR, context.actor()));
        request.getContext().put(OperatorContext.class, context);
        return request;
    }

    /** Runs a core's handler, without logging and metrics. The header has no QTime, so that equal answers are equal bytes. */
    static <T> T handle(SolrQueryRequest request, EngineTask<SolrQueryResponse, T> finish) throws Exception {
        SolrQueryResponse response = new SolrQueryResponse();
        response.addResponseHeader(new SimpleOrderedMap<>(header -> header.put("status", 0)));
        String path = request.getParams().get(CommonParams.QT, "/select");
        request.getContext().put("path", path);
        SolrRequestInfo.setRequestInfo(new SolrRequestInfo(request, response));
        try {
            RequestHandlerBase handler = (RequestHandlerBase) request.getCore().getRequestHandler(path);
            SolrPluginUtils.setDefaults(handler, request, null, null, null);
            handler.handleRequestBody(request, response);
            if (request.getParams().getBool(CommonParams.OMIT_HEADER, false)) {
                response.removeResponseHeader();
            }
            return finish.run(response);
        } finally {
            SolrRequestInfo.clearRequestInfo();
        }
    }

    static Bytes serialize(SolrQueryResponse response, String format) throws Exception {
        SolrQueryRequest request = SolrRequestInfo.getRequestInfo().getReq();
        var out = CancellationChecker.from(request.getContext()).outputStream();
        QueryResponseWriterUtil.writeQueryResponse(
                out, request.getCore().getQueryResponseWriter(format), request, response, "");
        return Bytes.wrap(out.toByteArray());
    }
}
