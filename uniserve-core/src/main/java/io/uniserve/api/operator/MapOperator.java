package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import java.util.List;

/**
 * A stage between others: works on what has come for its slot, as a {@link GatherOperator} does, next to an actor that is
 * there, and what it makes of it are chunks again, as a {@link ScatterOperator}'s are. They are kept until the query is over, in memory
 * or in files within its budget, and a later stage gets them: cut into slots, all of them at every slot, or, where the plan
 * has them kept, those of an actor beside this actor.
 */
public non-sealed interface MapOperator<A extends ActorView, P> extends Operator<A, P> {
    /**
     * Runs on a worker thread, slots in parallel, once all chunks of the slot are here; must honour {@link
     * OperatorContext#checkActive} in long loops. It may be run again, on this replica or another, when something fails: what
     * only one of the runs has put is used.
     *
     * @param actor the slot's actor, {@link OperatorContext#actor} its number
     * @param chunks of each stage that comes in here, in the plan's order, those with something in them, by actor
     * @param slots of the stage that gets what is put; 1 where it is kept, or all of it goes to every slot
     * @param sink at most one chunk a slot; a slot without one gets nothing from this actor
     */
    void map(A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks, int slots, ChunkSink sink);

    /** The operator that runs a function, unless its query is over. */
    static <A extends ActorView, P> MapOperator<A, P> of(MapCall<P> call, Class<A> actorType, Body<A, P> body) {
        return new MapFunction<>(call, actorType, body);
    }

    /** {@link #map} as a function. */
    @FunctionalInterface
    interface Body<A extends ActorView, P> {
        void run(A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks, int slots, ChunkSink sink);
    }
}
