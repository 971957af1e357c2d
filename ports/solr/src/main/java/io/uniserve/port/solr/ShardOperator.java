package io.uniserve.port.solr;

import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.core.SolrCore;
import org.apache.solr.response.BinaryResponseWriter;
import org.apache.solr.response.SolrQueryResponse;
import org.apache.solr.servlet.SolrRequestParsers;

/** Answers a shard request of SolrCloud's protocol from one actor's core. */
final class ShardOperator implements RetrieveOperator<SolrActor, ShardCall, ShardReply> {
    static final ShardOperator SELECT = new ShardOperator();

    private ShardOperator() {}

    @Override
    public String id() {
        return "solr.select@1";
    }

    @Override
    public Class<SolrActor> actorType() {
        return SolrActor.class;
    }

    @Override
    public Codec<ShardCall> parameters() {
        return ShardCall.CODEC;
    }

    @Override
    public Codec<ShardReply> values() {
        return ShardReply.CODEC;
    }

    @Override
    public ShardReply retrieve(SolrActor actor, OperatorContext context, ShardCall call) {
        context.checkActive();
        Bytes body = actor.with("answer a shard request", core -> answer(core, context, call.of(context.actor())));
        return new ShardReply(context.actor(), body);
    }

    private static Bytes answer(SolrCore core, OperatorContext context, String text) throws Exception {
        ModifiableSolrParams params = new ModifiableSolrParams(SolrRequestParsers.parseQueryString(text));
        long millis = TimeUnit.NANOSECONDS.toMillis(context.remainingNanos());
        if (millis < Limits.DEADLINE_MS_MAX) {
            params.set(CommonParams.TIME_ALLOWED, Long.toString(Math.max(1, millis)));
        }
        return Select.run(core, params, Map.of(), (request, response, out) -> {
            if (SolrQueryResponse.isPartialResults(response.getResponseHeader())) {
                context.checkActive();
                throw new UniserveException(
                        ErrorCode.DEADLINE_EXCEEDED, "the query's deadline passed while Solr searched");
            }
            new BinaryResponseWriter().write(out, request, response);
        });
    }
}
