package io.uniserve.port.solr;

import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.PerActor;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.limit.Limits;
import java.util.Map;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.response.BinaryResponseWriter;
import org.apache.solr.servlet.SolrRequestParsers;

/**
 * Answers a shard request of SolrCloud's protocol from one actor's core. Parameters are Solr's as a URL has them; the
 * value is the response in Solr's binary format.
 */
final class ShardOperator {
    static final RetrieveCall<PerActor<String>, Bytes> CALL =
            new RetrieveCall<>("solr.select@1", PerActor.codec(Codecs.STRING), Codecs.BYTES);
    static final RetrieveOperator<SolrActor, PerActor<String>, Bytes> SELECT =
            RetrieveOperator.of(CALL, SolrActor.class, ShardOperator::select);

    private ShardOperator() {}

    private static Bytes select(SolrActor actor, OperatorContext context, PerActor<String> texts) {
        return actor.with("answer a shard request", request -> {
            String text = texts.at(context.actor());
            ModifiableSolrParams params = new ModifiableSolrParams(SolrRequestParsers.parseQueryString(text));
            long millis = Math.max(1, Math.min(context.remainingNanos() / 1_000_000, Limits.DEADLINE_MS_MAX));
            params.set(CommonParams.TIME_ALLOWED, Long.toString(millis));
            Map<String, Object> header = Map.of(ActorShards.ACTOR, context.actor());
            return SolrPlanner.select(request.getCore(), params, header, null, new BinaryResponseWriter());
        });
    }
}
