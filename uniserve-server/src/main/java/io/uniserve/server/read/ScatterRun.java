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
record ScatterRun<A extends ActorView, P>(ScatterOperator<A, P> operator, ExchangeHost exchange)
        implements RetrieveOperator<A, ScatterRun.Framed<P>, ScatterManifest> {
    /** The plan's parameters, with the operator's inside. */
    record Framed<P>(ScatterEnvelope frame, P parameters) {}

    @Override
    public String id() {
        return operator.id();
    }

    @Override
    public Class<A> actorType() {
        return operator.actorType();
    }

    @Override
    public Codec<Framed<P>> parameters() {
        return Codecs.of((out, framed) -> ScatterEnvelope.CODEC.write(out, framed.frame), in -> {
            ScatterEnvelope frame = ScatterEnvelope.CODEC.read(in);
            return new Framed<>(frame, operator.parameters().decode(frame.parameters()));
        });
    }

    @Override
    public Codec<ScatterManifest> values() {
        return ScatterManifest.CODEC;
    }

    @Override
    public ScatterManifest retrieve(A actor, OperatorContext context, Framed<P> framed) {
        return exchange.scatter(
                framed.frame,
                context,
                sink -> operator.scatter(actor, context, framed.parameters, framed.frame.slots(), sink));
    }
}
