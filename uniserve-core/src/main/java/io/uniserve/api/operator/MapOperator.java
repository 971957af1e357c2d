package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import java.util.List;

/**
 * Stage between scatter and gather: receives the chunks of its slot, as a {@link GatherOperator} does, and emits chunks, as a
 * {@link ScatterOperator} does. It runs on a server that holds the slot's actor. The host keeps the chunks until the query ends, in memory
 * or in files within the query's budget. The plan's {@link io.uniserve.api.plan.Distribution} says how a later stage receives them.
 *
 * <p>Thread-safety and errors: see {@link Operator}.
 *
 * <pre>{@code
 * static final MapOperator<H2Actor, Join> JOIN = MapOperator.of(
 *         new MapCall<>("h2.join@1", Join.CODEC), H2Actor.class, (actor, context, join, chunks, slots, sink) -> {
 *             List<List<Document>> joined = join.run(chunks.get(0), chunks.get(1), slots);
 *             for (int slot = 0; slot < slots; slot++) {
 *                 sink.put(slot, joined.get(slot).size(), ROWS.encode(joined.get(slot)));
 *             }
 *         });
 * }</pre>
 *
 * @param <A> class of the actor, or of its view
 * @param <P> class of the parameters
 */
public non-sealed interface MapOperator<A extends ActorView, P> extends Operator<A, P> {
    /**
     * Processes one slot. Runs on a worker thread once all chunks of the slot have arrived; slots run concurrently. Long loops must call
     * {@link OperatorContext#checkActive}. After a failure the host may run it again, on this replica or another one, and uses the chunks
     * of one run only.
     *
     * @param actor the slot's actor; {@link OperatorContext#actor} is its number
     * @param chunks per input stage, in the plan's order: the non-empty chunks of this slot, ordered by source actor
     * @param slots number of slots of the next stage; 1 if the chunks are kept or broadcast
     * @param sink takes at most one chunk per slot; a slot without a chunk receives nothing from this actor
     */
    void map(A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks, int slots, ChunkSink sink);

    /** Builds an operator from a function. It checks {@link OperatorContext#checkActive} first. */
    static <A extends ActorView, P> MapOperator<A, P> of(MapCall<P> call, Class<A> actorType, Body<A, P> body) {
        return new MapFunction<>(call, actorType, body);
    }

    /** Function form of {@link #map}. */
    @FunctionalInterface
    interface Body<A extends ActorView, P> {
        void run(A actor, OperatorContext context, P parameters, List<List<Chunk>> chunks, int slots, ChunkSink sink);
    }
}
