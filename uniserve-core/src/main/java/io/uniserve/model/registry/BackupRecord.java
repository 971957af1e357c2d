package io.uniserve.model.registry;

import io.uniserve.model.ReplicaKey;

/**
 * Record of an actor's backup in durable storage.
 *
 * @param clean true if the shipped log has every entry that the primary ever appended. The primary clears it before it appends again, so a
 *     takeover from a clean backup loses nothing
 * @param epoch epoch in which the record was written
 * @param shippedIndex last log index in durable storage, 0 for none
 * @param checkpoint key of the newest verified checkpoint, empty for none
 * @param checkpointIndex log index of the checkpoint
 */
public record BackupRecord(
        ReplicaKey key, boolean clean, long epoch, long shippedIndex, String checkpoint, long checkpointIndex)
        implements RegistryValue {}
