package io.uniserve.model;

/**
 * How far an actor's durable copy goes.
 *
 * @param clean true when the shipped log holds every entry the primary ever appended: the primary clears it before it
 *     appends again, so a takeover from a clean copy loses nothing
 * @param epoch epoch in which the copy was written
 * @param shippedIndex last log index in durable storage, 0 for none
 * @param checkpoint key of the newest verified checkpoint, empty for none
 * @param checkpointIndex log index the checkpoint covers
 */
public record BackupRecord(
        ReplicaKey key, boolean clean, long epoch, long shippedIndex, String checkpoint, long checkpointIndex)
        implements RegistryValue {}
