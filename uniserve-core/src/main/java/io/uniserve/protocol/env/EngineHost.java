package io.uniserve.protocol.env;

import io.uniserve.api.ActorUsage;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMeta;
import java.util.List;

/**
 * The engine of this server, called on worker threads: calls may be slow, fail or hang. Calls for one replica are made one
 * at a time, in order; {@link #validate} and {@link #usage} may run beside them.
 */
public interface EngineHost {
    /** Makes an empty actor, replacing any that is there. */
    void create(ReplicaKey key, TableMeta meta, Completion<Done> completion);

    /** Makes the actor from a checkpoint directory on the server's disk, replacing any that is there. */
    void restore(ReplicaKey key, TableMeta meta, String checkpointPath, Completion<Done> completion);

    /** Refuses rows that the engine could not apply (UNKNOWN_UPDATE, INVALID_ROW); changes nothing. */
    void validate(ReplicaKey key, String function, Bytes rows, Completion<Done> completion);

    /** Applies logged updates in order, then publishes them. An error leaves the actor unusable: it must be rebuilt. */
    void apply(ReplicaKey key, List<Update> updates, Completion<Done> completion);

    /** Writes the published data durably into a new directory on the server's disk (files, then fsync). */
    void checkpoint(ReplicaKey key, String checkpointPath, Completion<Done> completion);

    /** The digest of the contents. */
    void digest(ReplicaKey key, Completion<Bytes> completion);

    /** Rows, memory and disk. */
    void usage(ReplicaKey key, Completion<ActorUsage> completion);

    /** Waits for running operators, then removes the actor. */
    void destroy(ReplicaKey key, Completion<Done> completion);

    /** One logged update. */
    record Update(long index, String function, Bytes rows) {}
}
