package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;
import java.util.List;

/** Gather operator built from a function; see {@link GatherOperator#of}. */
record GatherFunction<A extends ActorView, P, V>(
        GatherCall<P, V> call, Class<A> actorType, GatherOperator.Body<A, P, V> body)
        implements GatherOperator<A, P, V> {
    @Override
    public String id() {
        return call.id();
    }

    @Override
    public Codec<P> parameters() {
        return call.parameters();
    }

    @Override
    public Codec<V> values() {
        return call.values();
    }

    @Override
    public V gather(A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks) {
        context.checkActive();
        return body.run(actor, context, parameters, chunks);
    }
}
