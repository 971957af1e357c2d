package io.uniserve.server.read;

import io.uniserve.api.ActorView;
import io.uniserve.api.operator.MapOperator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.protocol.exchange.GatherResult;
import io.uniserve.protocol.exchange.ScatterEnvelope;
import io.uniserve.protocol.exchange.ScatterManifest;
import io.uniserve.server.exchange.ExchangeHost;
import io.uniserve.server.exchange.GatherInputs;

/**
 * Adapter that runs a map operator as a read; its input chunks have arrived. The value is the manifest of the output chunks, which
 * stay on this server, with the statistics of the input.
 */
record MapOperatorAdapter<A extends ActorView, P>(
        MapOperator<A, P> operator, GatherInputs inputs, ExchangeHost exchange, String user)
        implements RetrieveOperator<A, MapOperatorAdapter.Enveloped<P>, GatherResult<ScatterManifest>> {
    /** The plan's parameters, with the operator's inside. */
    record Enveloped<P>(GatherEnvelope envelope, ScatterEnvelope output, P parameters) {}

    @Override
    public String id() {
        return operator.id();
    }

    @Override
    public Class<A> actorType() {
        return operator.actorType();
    }

    @Override
    public Codec<Enveloped<P>> parameters() {
        return Codecs.of((out, framed) -> GatherEnvelope.CODEC.write(out, framed.envelope), in -> {
            GatherEnvelope frame = GatherEnvelope.CODEC.read(in);
            GatherEnvelope.Output output = frame.output()
                    .orElseThrow(() -> UniserveException.invalid("operator " + operator.id()
                            + " is a map, and the read does not specify the output of its chunks"));
            ScatterEnvelope made = new ScatterEnvelope(frame.exchange(), output.stage(), output.slots(), Bytes.EMPTY);
            return new Enveloped<>(frame, made, operator.parameters().decode(frame.parameters()));
        });
    }

    @Override
    public Codec<GatherResult<ScatterManifest>> values() {
        return GatherResult.codec(ScatterManifest.CODEC);
    }

    @Override
    public GatherResult<ScatterManifest> retrieve(A actor, OperatorContext context, Enveloped<P> framed) {
        int slots = framed.output.slots();
        ScatterManifest scatterManifest = exchange.scatter(
                framed.output,
                user,
                context,
                sink -> operator.map(
                        actor, context, framed.parameters, inputs.chunks(context.actor(), context), slots, sink));
        return inputs.withStats(context.actor(), scatterManifest);
    }
}
