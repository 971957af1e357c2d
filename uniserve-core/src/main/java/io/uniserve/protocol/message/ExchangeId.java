package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;

/**
 * One attempt of one plan. What an attempt scattered is used by no other.
 *
 * @param query drawn at random by the plan's owner
 * @param attempt from 1
 */
public record ExchangeId(long query, int attempt) {
    /** Appends it. */
    public void write(BinaryWriter out) {
        out.writeLong(query).writeInt(attempt);
    }

    /** Reads what {@link #write} wrote. */
    public static ExchangeId read(BinaryReader in) {
        return new ExchangeId(in.readLong(), in.readInt());
    }

    /** As part of a file's name. */
    public String name() {
        return Long.toHexString(query) + "-" + attempt;
    }
}
