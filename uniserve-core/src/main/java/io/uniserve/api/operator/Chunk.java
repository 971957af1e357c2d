package io.uniserve.api.operator;

import io.uniserve.codec.Bytes;

/**
 * Chunk that one actor put for one slot, complete and with a verified checksum. Use it on the operator's thread, while the operator runs.
 */
public interface Chunk {
    /** Number of the actor that put the chunk. */
    int source();

    /** Number of rows, as declared to {@link ChunkSink#put}. */
    long rows();

    /** The bytes, from memory or from a file. Each call may read the file again, so call it once. */
    Bytes read();
}
