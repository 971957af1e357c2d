package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;
import java.util.List;

/** Map operator built from a function; see {@link MapOperator#of}. */
record MapFunction<A extends ActorView, P>(MapCall<P> call, Class<A> actorType, MapOperator.Body<A, P> body)
        implements MapOperator<A, P> {
    @Override
    public String id() {
        return call.id();
    }

    @Override
    public Codec<P> parameters() {
        return call.parameters();
    }

    @Override
    public void map(
            A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks, int slots, ChunkSink sink) {
        context.checkActive();
        body.run(actor, context, parameters, chunks, slots, sink);
    }
}
