package io.uniserve.api;

/**
 * Published rows of an actor, as operators read them: of the {@link Actor} itself, or of one of its states, which a
 * {@link SnapshotActor} gives. Operators of several threads read it at the same time.
 */
public interface ActorView extends AutoCloseable {
    /**
     * Rows, memory and disk now. Cheap; called every few seconds. Of a state: what would be freed if it were closed, as far as
     * that is known, and rather more than less. What it shares with the actor's present state does not count.
     */
    ActorUsage usage();

    /** Digest of the contents (not of files): equal on replicas that applied the same updates. */
    byte[] digest();

    /** Releases what it holds. Called once no operator reads it any more. Idempotent. */
    @Override
    void close();
}
