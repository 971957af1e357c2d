package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.codec.Codec;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Operator that reads one actor and returns a value. A {@link Combiner} on the planning side combines the values of all actors (DPA paper,
 * section 3).
 *
 * <p>Thread-safety and errors: see {@link Operator}.
 *
 * <pre>{@code
 * static final RetrieveOperator<H2Actor, Long, Long> COUNT = RetrieveOperator.of(
 *         new RetrieveCall<>("h2.count@1", Codecs.LONG, Codecs.LONG),
 *         H2Actor.class,
 *         (actor, context, least) -> actor.count(least),
 *         (least, left, right) -> left + right); // merges values on the server: one reply per server
 * }</pre>
 *
 * @param <A> class of the actor, or of its view
 * @param <P> class of the parameters
 * @param <V> class of the partial value, which the server sends to the planner
 */
public non-sealed interface RetrieveOperator<A extends ActorView, P, V> extends Operator<A, P> {
    /**
     * Computes the value of one actor. Runs on a worker thread, or on a transport thread if {@link #mayRunInline}; different actors run
     * concurrently. Long loops must call {@link OperatorContext#checkActive}.
     */
    V retrieve(A actor, OperatorContext context, P parameters);

    /** Codec of the values. */
    Codec<V> values();

    /**
     * Declares that with these parameters {@link #retrieve} and the merger take microseconds on every actor: from memory, without I/O,
     * and without a lock that another thread may hold for long. The server may then answer on the thread that received the request, which
     * saves two thread switches. It measures the time and falls back to worker threads if the declaration is wrong. When unsure, return
     * false.
     */
    default boolean mayRunInline(P parameters) {
        return false;
    }

    /** The merger of partial values, which servers run before they reply; empty if there is none. */
    default Optional<Merger<P, V>> merger() {
        return Optional.empty();
    }

    /** Builds an operator without a merger from a function. It checks {@link OperatorContext#checkActive} first. */
    static <A extends ActorView, P, V> RetrieveOperator<A, P, V> of(
            RetrieveCall<P, V> call, Class<A> actorType, Body<A, P, V> body) {
        return new RetrieveFunction<>(call, actorType, body, null, parameters -> false);
    }

    /** Builds an operator with a merger from two functions. */
    static <A extends ActorView, P, V> RetrieveOperator<A, P, V> of(
            RetrieveCall<P, V> call, Class<A> actorType, Body<A, P, V> body, Merger<P, V> merger) {
        return new RetrieveFunction<>(call, actorType, body, merger, parameters -> false);
    }

    /** Builds an operator with a merger that is {@link #mayRunInline} for the parameters that the predicate accepts. */
    static <A extends ActorView, P, V> RetrieveOperator<A, P, V> of(
            RetrieveCall<P, V> call, Class<A> actorType, Body<A, P, V> body, Merger<P, V> merger, Predicate<P> brief) {
        return new RetrieveFunction<>(call, actorType, body, merger, brief);
    }

    /** Function form of {@link #retrieve}. */
    @FunctionalInterface
    interface Body<A extends ActorView, P, V> {
        V run(A actor, OperatorContext context, P parameters);
    }
}
