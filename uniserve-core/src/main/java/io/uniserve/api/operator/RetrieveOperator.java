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
}
