package io.uniserve.port.solr;

import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.solr.common.params.CommonParams;
import org.apache.solr.common.params.ModifiableSolrParams;
import org.apache.solr.core.SolrCore;
import org.apache.solr.response.BinaryResponseWriter;
import org.apache.solr.servlet.SolrRequestParsers;

/**
 * Answers a shard request of SolrCloud's protocol from one actor's core. Parameters are Solr's as a URL has them, by
 * actor; those of {@link #EVERY} are for actors without their own. The value is the response in Solr's binary format.
 */
final class ShardOperator implements RetrieveOperator<SolrActor, Map<Integer, String>, Bytes> {
    static final ShardOperator SELECT = new ShardOperator();
    static final int EVERY = -1;

    private static final int ENTRY_BYTES_MIN = 8;
    private static final Codec<Map<Integer, String>> PARAMETERS = Codecs.of(
            (out, texts) -> {
                out.writeInt(texts.size());
                texts.forEach((actor, text) -> out.writeInt(actor).writeString(text));
            },
            in -> {
                Map<Integer, String> texts = new LinkedHashMap<>();
                for (int left = in.readCount(ENTRY_BYTES_MIN); left > 0; left--) {
                    texts.put(in.readInt(), in.readString());
                }
                return texts;
            });

    @Override
    public String id() {
        return "solr.select@1";
    }

    @Override
    public Class<SolrActor> actorType() {
        return SolrActor.class;
    }

    @Override
    public Codec<Map<Integer, String>> parameters() {
        return PARAMETERS;
    }

    @Override
    public Codec<Bytes> values() {
        return Codecs.BYTES;
    }

    @Override
    public Bytes retrieve(SolrActor actor, OperatorContext context, Map<Integer, String> texts) {
        context.checkActive();
        String text = texts.getOrDefault(context.actor(), texts.get(EVERY));
        if (text == null) {
            throw UniserveException.invalid("solr.select has no parameters for actor " + context.actor());
        }
        return actor.with("answer a shard request", core -> answer(core, context, text));
    }

    private static Bytes answer(SolrCore core, OperatorContext context, String text) throws Exception {
        ModifiableSolrParams params = new ModifiableSolrParams(SolrRequestParsers.parseQueryString(text));
        long millis = Math.max(1, Math.min(context.remainingNanos() / 1_000_000, Limits.DEADLINE_MS_MAX));
        params.set(CommonParams.TIME_ALLOWED, Long.toString(millis));
        Map<String, Object> header = Map.of(ActorShards.ACTOR, context.actor());
        return SolrPlanner.select(core, params, header, Map.of(), new BinaryResponseWriter());
    }
}
