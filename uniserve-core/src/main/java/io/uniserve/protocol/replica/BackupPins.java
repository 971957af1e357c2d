package io.uniserve.protocol.replica;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.PeerReply;

/** A primary's part in backups of its table. */
public interface BackupPins {
    /**
     * Pins the actor's backup up to its log's end as of now, for the backup of the table with this id; answered with
     * {@link PeerReply.Pinned}, when everything up to there is in durable storage.
     */
    void pin(String backup, Completion<PeerReply> completion);

    /** A backup of the table was deleted: what it had pinned is swept. */
    void sweepAgain();
}
