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
import io.uniserve.protocol.exchange.GatherFrame;
import io.uniserve.protocol.exchange.Gathered;
import io.uniserve.server.exchange.Inputs;
import java.util.Optional;

/** A gather as a read, whose chunks are here. */
record GatherRun<A extends ActorView, P, V>(GatherOperator<A, P, V> operator, Inputs inputs)
        implements RetrieveOperator<A, GatherRun.Framed<P>, Gathered<V>> {
    /** The operator's parameters in the plan's. */
    record Framed<P>(GatherFrame frame, P parameters) {}

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
        return Codecs.of((out, framed) -> GatherFrame.CODEC.write(out, framed.frame), in -> {
            GatherFrame frame = GatherFrame.CODEC.read(in);
            return new Framed<>(frame, operator.parameters().decode(frame.parameters()));
        });
    }

    @Override
    public Codec<Gathered<V>> values() {
        return Gathered.codec(operator.values());
    }

    @Override
    public Gathered<V> retrieve(A actor, OperatorContext context, Framed<P> framed) {
        V value = operator.gather(actor, context, framed.parameters, inputs.chunks(context.actor(), context));
        if (value == null) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "operator " + operator.id() + " returned null");
        }
        return inputs.told(context.actor(), value);
    }

    @Override
    public Optional<Merger<Framed<P>, Gathered<V>>> merger() {
        return operator.merger()
                .map(merger -> (framed, left, right) ->
                        left.plus(right, merger.merge(framed.parameters, left.value(), right.value())));
    }
}
