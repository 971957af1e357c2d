package io.uniserve.protocol.env;

import io.uniserve.api.ActorUsage;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMeta;
import java.util.List;

/**
 * The engine of this server, called on worker threads: calls may be slow, fail or hang. Calls that change one replica's actor
 * or write it (create, restore, apply, publish, checkpoint, destroy) run one at a time, in order; the others may run beside them. A
 * full disk is DISK_FULL.
 */
public interface EngineHost {
    /** Makes an empty actor, replacing any that is there. */
    void create(ReplicaKey key, TableMeta meta, Completion<Done> completion);

    /** Makes the actor from a checkpoint directory on the server's disk, replacing any that is there. */
    void restore(ReplicaKey key, TableMeta meta, String checkpointPath, Completion<Done> completion);

    /** The same; the checkpoint holds what is committed through this version of atomic updates, 0 for none. */
    default void restore(
            ReplicaKey key, TableMeta meta, String checkpointPath, long version, Completion<Done> completion) {
        restore(key, meta, checkpointPath, completion);
    }

    /**
     * Refuses rows that the engine could not apply (UNKNOWN_UPDATE, INVALID_ROW), or whose condition does not hold (CONFLICT);
     * changes nothing.
     */
    void validate(ReplicaKey key, String function, Bytes rows, Completion<RowCondition> completion);

    /**
     * Applies logged updates in order. Whoever begins to read the actor from here on sees them, though they may be published
     * only then, for that reader. After an error no reader finds the actor: it must be rebuilt.
     *
     * @param publish publishes them too before it completes
     */
    void apply(ReplicaKey key, List<Update> updates, boolean publish, Completion<Done> completion);

    /**
     * Prepares the actor's part of an atomic update: checks and does what may fail, and changes nothing that readers see.
     * After an error the actor must be rebuilt.
     */
    default void prepare(ReplicaKey key, long version, List<Update> batches, Completion<Done> completion) {
        throw new UnsupportedOperationException("this host serves eventual tables only");
    }

    /**
     * Commits what was prepared for this version and keeps the state after it for readers of this version, or lets go of it;
     * without effect where nothing was prepared for it. After an error no reader finds the actor: it must be rebuilt.
     */
    default void decide(ReplicaKey key, long version, boolean commit, Completion<Done> completion) {
        throw new UnsupportedOperationException("this host serves eventual tables only");
    }

    /**
     * Publishes what is not published yet. After an error, of this call or where it was done for a reader, no reader finds the
     * actor: it must be rebuilt.
     */
    void publish(ReplicaKey key, Completion<Done> completion);

    /** Publishes, and writes the published data durably into a new directory on the server's disk (files, then fsync). */
    void checkpoint(ReplicaKey key, String checkpointPath, Completion<Done> completion);

    /** Checks that a checkpoint's files are what was once written there; CORRUPT where they are not. Changes nothing. */
    void verify(String checkpointPath, Completion<Done> completion);

    /** The digest of the contents. */
    void digest(ReplicaKey key, Completion<Bytes> completion);

    /** Rows, memory and disk. */
    void usage(ReplicaKey key, Completion<ActorUsage> completion);

    /** Removes the actor: no reader finds it from here on. It is destroyed once the last running operator has let go of it. */
    void destroy(ReplicaKey key, Completion<Done> completion);

    /** One logged update. */
    record Update(long index, String function, Bytes rows) {}
}
