package io.uniserve.protocol.env;

import io.uniserve.api.ActorUsage;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMeta;
import java.util.List;

/**
 * The engine of this server, called on worker threads: calls may be slow, fail or hang. Calls that change or write one replica's actor
 * (create, restore, apply, prepare, decide, publish, checkpoint, destroy) run one at a time, in order. The others may run at the same time.
 * A full disk is DISK_FULL.
 */
public interface EngineHost {
    /** Creates an empty actor, and replaces one that exists. */
    void create(ReplicaKey key, TableMeta meta, Completion<Done> completion);

    /** Creates the actor from a checkpoint directory on the server's disk, and replaces one that exists. */
    void restore(ReplicaKey key, TableMeta meta, String checkpointPath, Completion<Done> completion);

    /**
     * The same for an atomic table.
     *
     * @param version newest committed version in the checkpoint, 0 for none
     */
    default void restore(
            ReplicaKey key, TableMeta meta, String checkpointPath, long version, Completion<Done> completion) {
        restore(key, meta, checkpointPath, completion);
    }

    /**
     * Rejects rows that the engine could not apply (UNKNOWN_UPDATE, INVALID_ROW), or with a condition that does not hold (CONFLICT).
     * Changes nothing.
     */
    void validate(ReplicaKey key, String function, Bytes rows, Completion<RowStateDependency> completion);

    /**
     * Applies logged updates in order. Reads that start afterwards see them; the first such read may publish them. After an error reads do
     * not find the actor: it must be rebuilt.
     *
     * @param publish true to publish them before the completion
     */
    void apply(ReplicaKey key, List<Update> updates, boolean publish, Completion<Done> completion);

    /**
     * Prepares the actor's part of an atomic update: checks it and does everything that may fail, without a change that readers see. After
     * an error the actor must be rebuilt.
     */
    default void prepare(ReplicaKey key, long version, List<Update> batches, Completion<Done> completion) {
        throw new UnsupportedOperationException("this host serves eventual tables only");
    }

    /**
     * Commits the prepared version and keeps the state after it for readers of this version, or aborts it. No effect if the version is not
     * prepared. After an error reads do not find the actor: it must be rebuilt.
     */
    default void decide(ReplicaKey key, long version, boolean commit, Completion<Done> completion) {
        throw new UnsupportedOperationException("this host serves eventual tables only");
    }

    /**
     * Publishes all applied updates. After an error, of this call or of a publication for a reader, reads do not find the actor: it must be
     * rebuilt.
     */
    void publish(ReplicaKey key, Completion<Done> completion);

    /** Publishes, and writes the published data durably into a new directory on the server's disk (files, then fsync). */
    void checkpoint(ReplicaKey key, String checkpointPath, Completion<Done> completion);

    /** Checks that a checkpoint's files are unchanged since they were written; CORRUPT if not. Changes nothing. */
    void verify(String checkpointPath, Completion<Done> completion);

    /** Computes the digest of the contents. */
    void digest(ReplicaKey key, Completion<Bytes> completion);

    /** Returns rows, memory and disk usage. */
    void usage(ReplicaKey key, Completion<ActorUsage> completion);

    /** Removes the actor: reads no longer find it. It is destroyed after the last running operator has released it. */
    void destroy(ReplicaKey key, Completion<Done> completion);

    /** One logged update. */
    record Update(long index, String function, Bytes rows) {}
}
