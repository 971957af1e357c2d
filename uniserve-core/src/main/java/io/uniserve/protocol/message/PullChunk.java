package io.uniserve.protocol.message;

/**
 * A part of a chunk that a scatter made.
 *
 * @param offset of its first byte in the chunk
 * @param length 1 or more
 */
public record PullChunk(ScatterOutput production, int slot, int offset, int length) {}
