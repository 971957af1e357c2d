package io.uniserve.protocol.replica;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.PeerReply;

/** A primary's part in backups of its table. */
public interface SnapshotPins {
    /**
     * Pins the actor's backup for the backup of the table with this id; answered with {@link PeerReply.Pinned}, when all of it is
     * in durable storage. VERSION_GONE where the actor is past the version for too long, or has a checkpoint past it.
     *
     * @param version of a table whose updates are atomic: up to where the log is complete through it and has nothing newer; 0
     *     for up to the log's end as of now
     */
    void pin(String backup, long version, Completion<PeerReply> completion);

    /** A backup of the table was deleted: what it had pinned is swept. */
    void sweepAgain();
}
