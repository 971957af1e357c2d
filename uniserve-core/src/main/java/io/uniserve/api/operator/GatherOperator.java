package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;
import java.util.List;
import java.util.Optional;

/**
 * Works on what the scatters before it have put for one slot, next to an actor that is there. Slots are the actors of a
 * table: slot {@code n} is worked on where its {@code n}th actor has a replica, so that the actor's own rows can be used,
 * or need not be.
 *
 * @param <V> the partial value that travels, as of a {@link RetrieveOperator}
 */
public non-sealed interface GatherOperator<A extends ActorView, P, V> extends Operator<A, P> {
    /**
     * Runs on a worker thread, slots in parallel, once all chunks of the slot are here; must honour {@link
     * OperatorContext#checkActive} in long loops. It may be run again elsewhere when something fails, on the same chunks.
     *
     * @param actor the slot's actor, {@link OperatorContext#actor} its number
     * @param chunks of each scatter of the plan, in its order, those with something in them, by actor
     */
    V gather(A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks);

    Codec<V> values();

    /** Associative, commutative merge of partial values, run on servers before they reply; empty if there is none. */
    default Optional<Merger<P, V>> merger() {
        return Optional.empty();
    }

    /** The operator that runs a function, unless its query is over, and has no merger. */
    static <A extends ActorView, P, V> GatherOperator<A, P, V> of(
            GatherCall<P, V> call, Class<A> actorType, Body<A, P, V> body) {
        return new GatherFunction<>(call, actorType, body);
    }

    /** {@link #gather} as a function. */
    @FunctionalInterface
    interface Body<A extends ActorView, P, V> {
        V run(A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks);
    }
}
