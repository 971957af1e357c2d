package io.uniserve.protocol.replica.storage;

import io.uniserve.protocol.env.Completion;

/** Source of a checkpoint if this server has no intact one. */
public interface CheckpointSource {
    /** Fetches a checkpoint that belongs to the log; CORRUPT if there is none or it fails its checks. */
    void fetch(Completion<CheckpointStore.Name> completion);
}
