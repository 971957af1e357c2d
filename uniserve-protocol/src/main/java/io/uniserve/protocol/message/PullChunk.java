package io.uniserve.protocol.message;

/**
 * Request for a part of a chunk of a scatter.
 *
 * @param offset offset of the first byte in the chunk
 * @param length number of bytes, at least 1
 */
public record PullChunk(ScatterRunId output, int slot, int offset, int length) {}
