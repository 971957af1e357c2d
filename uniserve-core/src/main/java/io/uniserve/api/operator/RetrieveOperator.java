package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Reads one actor and returns a value; values of many actors are combined where the query was planned (DPA paper,
 * section 3).
 *
 * @param <V> the partial value that travels
 */
public non-sealed interface RetrieveOperator<A extends ActorView, P, V> extends Operator<A, P> {
    /**
     * Runs on a worker thread, or on the transport's where it is {@link #brief}, on actors in parallel; must honour
     * {@link OperatorContext#checkActive} in long loops.
     */
    V retrieve(A actor, OperatorContext context, P parameters);

    Codec<V> values();

    /**
     * True promises that with these parameters {@link #retrieve} and the merger take microseconds on every actor: from
     * memory, without I/O and without a lock that somebody may hold for long. A server may then answer on the thread that
     * received the request, which saves two thread switches. It measures whether the promise holds and uses its workers
     * where it does not. When in doubt leave it false.
     */
    default boolean brief(P parameters) {
        return false;
    }

    /** Associative, commutative merge of partial values, run on servers before they reply; empty if there is none. */
    default Optional<Merger<P, V>> merger() {
        return Optional.empty();
    }

    /** The operator that runs a function, unless its query is over, and has no merger. */
    static <A extends ActorView, P, V> RetrieveOperator<A, P, V> of(
            RetrieveCall<P, V> call, Class<A> actorType, Body<A, P, V> body) {
        return new RetrieveFunction<>(call, actorType, body, null, parameters -> false);
    }

    /** The operator that runs a function, unless its query is over, and merges with another. */
    static <A extends ActorView, P, V> RetrieveOperator<A, P, V> of(
            RetrieveCall<P, V> call, Class<A> actorType, Body<A, P, V> body, Merger<P, V> merger) {
        return new RetrieveFunction<>(call, actorType, body, merger, parameters -> false);
    }

    /** As above, for an operator that is {@link #brief} with the parameters that the predicate accepts. */
    static <A extends ActorView, P, V> RetrieveOperator<A, P, V> of(
            RetrieveCall<P, V> call, Class<A> actorType, Body<A, P, V> body, Merger<P, V> merger, Predicate<P> brief) {
        return new RetrieveFunction<>(call, actorType, body, merger, brief);
    }

    /** {@link #retrieve} as a function. */
    @FunctionalInterface
    interface Body<A extends ActorView, P, V> {
        V run(A actor, OperatorContext context, P parameters);
    }
}
