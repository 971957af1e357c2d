package io.uniserve.codec;

import org.jspecify.annotations.Nullable;

/**
 * Writes and reads one type. Implementations are stateless and safe for use by several threads. {@link #read} meets
 * bytes from the network: it must check every length before it allocates ({@link BinaryReader} does). One that takes null is
 * made by {@link Codecs#nullable}; of all others null is no value.
 *
 * @param <T> the type
 */
public interface Codec<T extends @Nullable Object> {
    /** Appends the value. */
    void write(BinaryWriter out, T value);

    /** Reads one value; fails with CORRUPT or INVALID_ARGUMENT where the bytes are not one. */
    T read(BinaryReader in);

    /** The value alone as bytes. */
    default Bytes encode(T value) {
        BinaryWriter out = new BinaryWriter();
        write(out, value);
        return out.toBytes();
    }

    /** Reads a value that must fill the bytes exactly. */
    default T decode(Bytes bytes) {
        BinaryReader in = new BinaryReader(bytes);
        T value = read(in);
        in.expectEnd();
        return value;
    }
}
