package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;
import java.util.List;
import java.util.Optional;

/**
 * Last stage of a shuffle: processes the chunks that the stages before it put for one slot, and returns a value. The slots are the actors
 * of a table: slot {@code n} runs on a server that holds a replica of actor {@code n}, so the operator can also use that actor's rows.
 *
 * <p>Thread-safety and errors: see {@link Operator}.
 *
 * <pre>{@code
 * static final GatherOperator<H2Actor, Integer, Long> COUNT_PAIRS = GatherOperator.of(
 *         new GatherCall<>("h2.count-pairs@1", Codecs.INT, Codecs.LONG),
 *         H2Actor.class,
 *         (actor, context, column, chunks) -> pairs(column, chunks.get(0), chunks.get(1)));
 * }</pre>
 *
 * @param <A> class of the actor, or of its view
 * @param <P> class of the parameters
 * @param <V> class of the partial value, as for a {@link RetrieveOperator}
 */
public non-sealed interface GatherOperator<A extends ActorView, P, V> extends Operator<A, P> {
    /**
     * Processes one slot. Runs on a worker thread once all chunks of the slot have arrived; slots run concurrently. Long loops must call
     * {@link OperatorContext#checkActive}. After a failure the host may run it again on another replica, with the same chunks.
     *
     * @param actor the slot's actor; {@link OperatorContext#actor} is its number
     * @param chunks per input stage, in the plan's order: the non-empty chunks of this slot, ordered by source actor
     */
    V gather(A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks);

    /** Codec of the values. */
    Codec<V> values();

    /** The merger of partial values, which servers run before they reply; empty if there is none. */
    default Optional<Merger<P, V>> merger() {
        return Optional.empty();
    }

    /** Builds an operator without a merger from a function. It checks {@link OperatorContext#checkActive} first. */
    static <A extends ActorView, P, V> GatherOperator<A, P, V> of(
            GatherCall<P, V> call, Class<A> actorType, Body<A, P, V> body) {
        return new GatherFunction<>(call, actorType, body);
    }

    /** Function form of {@link #gather}. */
    @FunctionalInterface
    interface Body<A extends ActorView, P, V> {
        V run(A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks);
    }
}
