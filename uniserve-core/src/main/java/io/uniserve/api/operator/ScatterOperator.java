package io.uniserve.api.operator;

import io.uniserve.api.ActorView;

/**
 * Operator that reads one actor and splits the result into chunks, one per slot of the stage that follows. Rows that must meet, as for a
 * join, go into chunks of the same slot on every actor (DPA paper, section 3). With one slot it is a broadcast: every gather receives all
 * chunks.
 *
 * <p>A chunk is a byte string in the port's own format. Uniserve stores, compresses, checksums and transports it without reading it.
 *
 * <p>Thread-safety and errors: see {@link Operator}.
 *
 * <pre>{@code
 * static final ScatterOperator<H2Actor, String> BY_COLUMN = ScatterOperator.of(
 *         new ScatterCall<>("h2.by-column@1", Codecs.STRING), H2Actor.class, (actor, context, column, slots, sink) -> {
 *             List<List<Document>> parts = actor.partitioned(column, slots); // by hash of the column
 *             for (int slot = 0; slot < slots; slot++) {
 *                 sink.put(slot, parts.get(slot).size(), ROWS.encode(parts.get(slot)));
 *             }
 *         });
 * }</pre>
 *
 * @param <A> class of the actor, or of its view
 * @param <P> class of the parameters
 */
public non-sealed interface ScatterOperator<A extends ActorView, P> extends Operator<A, P> {
    /**
     * Puts at most one chunk per slot into the sink. A slot without a chunk receives nothing from this actor. Runs on a worker thread;
     * different actors run concurrently. Long loops must call {@link OperatorContext#checkActive}. After a failure the host may run it
     * again, on this replica or another one, and uses the chunks of one run only.
     *
     * @param slots number of slots, 1 to {@link io.uniserve.limit.Limits#SCATTER_SLOTS_MAX}
     */
    void scatter(A actor, OperatorContext context, P parameters, int slots, ChunkSink sink);

    /** Builds an operator from a function. It checks {@link OperatorContext#checkActive} first. */
    static <A extends ActorView, P> ScatterOperator<A, P> of(ScatterCall<P> call, Class<A> actorType, Body<A, P> body) {
        return new ScatterFunction<>(call, actorType, body);
    }

    /** Function form of {@link #scatter}. */
    @FunctionalInterface
    interface Body<A extends ActorView, P> {
        void run(A actor, OperatorContext context, P parameters, int slots, ChunkSink sink);
    }
}
