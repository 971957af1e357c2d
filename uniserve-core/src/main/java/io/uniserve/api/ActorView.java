package io.uniserve.api;

/**
 * Read-only view of an actor's published rows: the {@link Actor} itself, or a snapshot of it by a
 * {@link io.uniserve.api.extra.SnapshotActor}. Operators receive a view and never update through it.
 *
 * <p>Thread-safety: several operators read one view concurrently.
 *
 * <pre>{@code
 * RetrieveOperator.of(
 *         new RetrieveCall<>("counter.get@1", Codecs.STRING, Codecs.LONG),
 *         CounterView.class,
 *         (view, context, key) -> view.count(key));
 * }</pre>
 */
public interface ActorView extends AutoCloseable {
    /**
     * Current rows, memory and disk use. Must be cheap: the host calls it every few seconds. For a snapshot: an estimate of what closing it
     * would free, rather too high than too low. Parts that the snapshot shares with the actor's current state do not count.
     *
     * @throws io.uniserve.error.UniserveException CORRUPT if the engine has lost the contents; the host then rebuilds the actor from its
     *     checkpoint and log
     */
    ActorUsage usage();

    /**
     * Digest of the contents, not of files: replicas that have applied the same updates return the same bytes. The host compares replicas
     * by it. See {@link ContentDigest}.
     */
    byte[] digest();

    /** Releases the resources of the view. The host calls it after the last operator is done. Idempotent. */
    @Override
    void close();
}
