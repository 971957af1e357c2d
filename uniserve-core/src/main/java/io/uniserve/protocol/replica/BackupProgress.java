package io.uniserve.protocol.replica;

/**
 * How far an actor's backup is.
 *
 * @param shipped last log index in durable storage, -1 where nothing is known here: no primary, or no durable storage
 * @param checkpoint log index that the checkpoint in durable storage covers, 0 for none, -1 as above
 */
public record BackupProgress(long shipped, long checkpoint) {
    /** Nothing is known. */
    public static final BackupProgress NONE = new BackupProgress(-1, -1);
}
