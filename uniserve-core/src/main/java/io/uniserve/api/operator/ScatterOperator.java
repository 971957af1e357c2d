package io.uniserve.api.operator;

import io.uniserve.api.ActorView;

/**
 * Reads one actor and cuts what it finds into chunks, one for each slot of the {@link GatherOperator} that follows: rows
 * that must meet go into chunks of the same slot, whatever actor they are in (DPA paper, section 3). With one slot it is a broadcast:
 * every gather gets all of it.
 *
 * <p>A chunk is bytes in a form of the port's own; Uniserve stores, compresses, checks and carries it, and looks at nothing
 * in it.
 */
public non-sealed interface ScatterOperator<A extends ActorView, P> extends Operator<A, P> {
    /**
     * Puts chunks into the sink, at most one a slot; a slot without one gets nothing from this actor. Runs on a worker
     * thread, on actors in parallel; must honour {@link OperatorContext#checkActive} in long loops. It may be run again, on this replica
     * or another, when something fails: what only one of the runs has put is used.
     *
     * @param slots slots there are, 1 to {@link io.uniserve.limit.Limits#SCATTER_SLOTS_MAX}
     */
    void scatter(A actor, OperatorContext context, P parameters, int slots, ChunkSink sink);

    /** The operator that runs a function, unless its query is over. */
    static <A extends ActorView, P> ScatterOperator<A, P> of(ScatterCall<P> call, Class<A> actorType, Body<A, P> body) {
        return new ScatterFunction<>(call, actorType, body);
    }

    /** {@link #scatter} as a function. */
    @FunctionalInterface
    interface Body<A extends ActorView, P> {
        void run(A actor, OperatorContext context, P parameters, int slots, ChunkSink sink);
    }
}
