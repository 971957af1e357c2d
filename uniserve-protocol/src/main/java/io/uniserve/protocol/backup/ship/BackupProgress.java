package io.uniserve.protocol.backup.ship;

/**
 * Progress of an actor's backup, and the reason for a failure.
 *
 * @param log state of the shipping of the log
 * @param shipped last log index in durable storage, -1 if unknown here: not the primary, or no durable storage
 * @param checkpoint log index that the checkpoint in durable storage covers, 0 for none, -1 if unknown
 * @param failingMillis duration of the failure, at least 1; 0 without a failure
 * @param failure reason of the failure; empty without a failure
 */
public record BackupProgress(LogShippingState log, long shipped, long checkpoint, long failingMillis, String failure) {
    /** No progress is known. */
    public static final BackupProgress NONE = new BackupProgress(LogShippingState.OFF, -1, -1, 0, "");
}
