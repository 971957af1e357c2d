package io.uniserve.server.read;

import io.uniserve.api.ActorView;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.Merger;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.protocol.exchange.GatherResult;
import io.uniserve.server.exchange.GatherInputs;
import java.util.Optional;

/** Adapter that runs a gather operator as a read; its chunks have arrived. */
record GatherOperatorAdapter<A extends ActorView, P, V>(GatherOperator<A, P, V> operator, GatherInputs inputs)
        implements RetrieveOperator<A, GatherOperatorAdapter.Enveloped<P>, GatherResult<V>> {
    /** The plan's parameters, with the operator's inside. */
    record Enveloped<P>(GatherEnvelope envelope, P parameters) {}

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
            return new Enveloped<>(frame, operator.parameters().decode(frame.parameters()));
        });
    }

    @Override
    public Codec<GatherResult<V>> values() {
        return GatherResult.codec(operator.values());
    }

    @Override
    public GatherResult<V> retrieve(A actor, OperatorContext context, Enveloped<P> framed) {
        V value = operator.gather(actor, context, framed.parameters, inputs.chunks(context.actor(), context));
        if (value == null) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "operator " + operator.id() + " returned null");
        }
        return inputs.withStats(context.actor(), value);
    }

    @Override
    public Optional<Merger<Enveloped<P>, GatherResult<V>>> merger() {
        return operator.merger()
                .map(merger -> (framed, left, right) ->
                        left.plus(right, merger.merge(framed.parameters, left.value(), right.value())));
    }
}
