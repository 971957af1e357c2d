package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;

/**
 * Id of one attempt of one planned query. No other attempt uses its scattered chunks.
 *
 * @param query random number, drawn by the planning server
 * @param attempt counted from 1
 */
public record ExchangeId(long query, int attempt) {
    /** Appends the id. */
    public void write(BinaryWriter out) {
        out.writeLong(query).writeInt(attempt);
    }

    /** Reads the format of {@link #write}. */
    public static ExchangeId read(BinaryReader in) {
        return new ExchangeId(in.readLong(), in.readInt());
    }

    /** The id as a part of a file name. */
    public String name() {
        return Long.toHexString(query) + "-" + attempt;
    }
}
