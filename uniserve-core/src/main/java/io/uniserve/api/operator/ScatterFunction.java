package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;

/** Scatter operator built from a function; see {@link ScatterOperator#of}. */
record ScatterFunction<A extends ActorView, P>(ScatterCall<P> call, Class<A> actorType, ScatterOperator.Body<A, P> body)
        implements ScatterOperator<A, P> {
    @Override
    public String id() {
        return call.id();
    }

    @Override
    public Codec<P> parameters() {
        return call.parameters();
    }

    @Override
    public void scatter(A actor, OperatorContext context, P parameters, int slots, ChunkSink sink) {
        context.checkActive();
        body.run(actor, context, parameters, slots, sink);
    }
}
