package io.uniserve.api.operator;

import io.uniserve.codec.Bytes;

/** What one actor scattered for one slot, complete and checked. For the operator's thread, while it runs. */
public interface Chunk {
    /** The actor it comes from. */
    int source();

    /** Rows in it, as the scatter said. */
    long rows();

    /** The bytes, as the scatter put them; from memory or from a file, so to be asked for once. */
    Bytes read();
}
