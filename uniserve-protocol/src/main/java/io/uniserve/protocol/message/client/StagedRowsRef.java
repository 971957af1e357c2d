package io.uniserve.protocol.message.client;

/**
 * Reference to staged rows of one actor, which its primary has in memory for a later PREPARE.
 *
 * @param bytes size of the rows, greater than 0
 * @param sha256 hash of the rows, in hex
 */
public record StagedRowsRef(long bytes, String sha256) {}
