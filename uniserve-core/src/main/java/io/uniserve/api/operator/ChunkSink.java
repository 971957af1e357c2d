package io.uniserve.api.operator;

import io.uniserve.codec.Bytes;

/** Receiver of the chunks that a scatter or map operator emits. Use it on the operator's thread, while the operator runs. */
@FunctionalInterface
public interface ChunkSink {
    /**
     * Stores the chunk of one slot. May block on disk writes: chunks beyond the query's memory budget go to a file.
     *
     * @param slot 0 to the number of slots minus 1; at most once per slot
     * @param rows number of rows in the chunk, for reports and checks only; 0 or more
     * @throws io.uniserve.error.UniserveException TOO_LARGE for a chunk of more than {@link io.uniserve.limit.Limits#CHUNK_BYTES_MAX},
     *     or if the query's budget is used up; PORT_PROTOCOL for a slot that does not exist or already has its chunk
     */
    void put(int slot, long rows, Bytes chunk);
}
