package io.uniserve.server.read;

import io.uniserve.api.ActorView;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.protocol.exchange.ScatterEnvelope;
import io.uniserve.protocol.exchange.ScatterManifest;
import io.uniserve.server.exchange.ExchangeHost;

/** Adapter that runs a scatter operator as a read. The value is the manifest of the chunks, which stay on this server. */
record ScatterOperatorAdapter<A extends ActorView, P>(
        ScatterOperator<A, P> operator, ExchangeHost exchange, String user)
        implements RetrieveOperator<A, ScatterOperatorAdapter.Enveloped<P>, ScatterManifest> {
    /** The plan's parameters, with the operator's inside. */
    record Enveloped<P>(ScatterEnvelope envelope, P parameters) {}

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
        return Codecs.of((out, framed) -> ScatterEnvelope.CODEC.write(out, framed.envelope), in -> {
            ScatterEnvelope frame = ScatterEnvelope.CODEC.read(in);
            return new Enveloped<>(frame, operator.parameters().decode(frame.parameters()));
        });
    }

    @Override
    public Codec<ScatterManifest> values() {
        return ScatterManifest.CODEC;
    }

    @Override
    public ScatterManifest retrieve(A actor, OperatorContext context, Enveloped<P> framed) {
        return exchange.scatter(
                framed.envelope,
                user,
                context,
                sink -> operator.scatter(actor, context, framed.parameters, framed.envelope.slots(), sink));
    }
}
