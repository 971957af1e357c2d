package io.uniserve.protocol.replica;

import io.uniserve.protocol.env.Completion;

/** Where a checkpoint comes from when none on this server is whole. */
interface CheckpointSource {
    /** Brings one that lies on the log; CORRUPT where there is none, or it does not check. */
    void fetch(Completion<Checkpoints.Name> completion);
}
