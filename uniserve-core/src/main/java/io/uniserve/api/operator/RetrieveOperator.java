package io.uniserve.api.operator;

import io.uniserve.api.Actor;
import io.uniserve.codec.Codec;
import java.util.Optional;

/**
 * Reads one actor and returns a value; values of many actors are combined where the query was planned (DPA paper,
 * section 3).
 *
 * @param <V> the partial value that travels
 */
public non-sealed interface RetrieveOperator<A extends Actor, P, V> extends Operator<A, P> {
    /** Runs on a worker thread, on actors in parallel; must honour {@link OperatorContext#checkActive} in long loops. */
    V retrieve(A actor, OperatorContext context, P parameters);

    Codec<V> values();

    /** Associative, commutative merge of partial values, run on servers before they reply; empty if there is none. */
    default Optional<Merger<P, V>> merger() {
        return Optional.empty();
    }

    /** The operator that runs a function, unless its query is over, and has no merger. */
    static <A extends Actor, P, V> RetrieveOperator<A, P, V> of(
            RetrieveCall<P, V> call, Class<A> actorType, Body<A, P, V> body) {
        return new RetrieveFunction<>(call, actorType, body, null);
    }

    /** The operator that runs a function, unless its query is over, and merges with another. */
    static <A extends Actor, P, V> RetrieveOperator<A, P, V> of(
            RetrieveCall<P, V> call, Class<A> actorType, Body<A, P, V> body, Merger<P, V> merger) {
        return new RetrieveFunction<>(call, actorType, body, merger);
    }

    /** {@link #retrieve} as a function. */
    @FunctionalInterface
    interface Body<A extends Actor, P, V> {
        V run(A actor, OperatorContext context, P parameters);
    }
}
