package io.uniserve.protocol.replica;

/**
 * Progress of an actor's backup, and why it fails.
 *
 * @param shipped last log index in durable storage, -1 where nothing is known here: no primary, or no durable storage
 * @param checkpoint log index that the checkpoint in durable storage covers, 0 for none, -1 as above
 * @param failingMillis how long it has failed, at least 1; 0 where it does not
 * @param failure why it fails; empty where it does not
 */
public record BackupProgress(long shipped, long checkpoint, long failingMillis, String failure) {
    /** Nothing is known. */
    public static final BackupProgress NONE = new BackupProgress(-1, -1, 0, "");
}
