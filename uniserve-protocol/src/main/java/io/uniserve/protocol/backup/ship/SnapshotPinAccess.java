package io.uniserve.protocol.backup.ship;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.PeerReply;

/** Access of named backups to a primary. */
public interface SnapshotPinAccess {
    /**
     * Pins the actor's continuous backup for the named backup with this id. Completes with {@link PeerReply.Pinned} when all of it is in
     * durable storage. VERSION_GONE if the actor is far past the version, or has stored a checkpoint after it.
     *
     * @param version for an atomic table: pins the log through this version, without newer ones. An eventual table's log is pinned up to
     *     its current end
     */
    void pin(String backup, long version, Completion<PeerReply> completion);

    /** Deletes the objects that a deleted named backup had pinned. */
    void deleteUnpinned();
}
