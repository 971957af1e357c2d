package io.uniserve.api.operator;

import io.uniserve.codec.Bytes;

/** Where a scatter puts its chunks. For the operator's thread, while it runs. */
@FunctionalInterface
public interface ChunkSink {
    /**
     * Hands over one slot's chunk. May wait for a disk: what does not fit into the query's memory is written to a file.
     *
     * @param slot 0 or more, less than the number of slots, each once
     * @param rows rows in it, for reports and checks only; 0 or more
     * @throws io.uniserve.error.UniserveException TOO_LARGE for a chunk of more than {@link
     *     io.uniserve.limit.Limits#CHUNK_BYTES_MAX}, or where the query has used up its room, PORT_PROTOCOL
     *     for a slot that is not there or has its chunk already
     */
    void put(int slot, long rows, Bytes chunk);
}
