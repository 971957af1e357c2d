package io.uniserve.codec;

import org.jspecify.annotations.Nullable;

/**
 * Codec of one type. Implementations are stateless and thread-safe. {@link #read} gets bytes from the network, so it must check every
 * length before it allocates; {@link BinaryReader} does. Null is only supported by codecs from {@link Codecs#nullable}.
 *
 * @param <T> the type
 */
public interface Codec<T extends @Nullable Object> {
    /** Appends the value. */
    void write(BinaryWriter out, T value);

    /** Reads one value. It fails with CORRUPT or INVALID_ARGUMENT for invalid bytes. */
    T read(BinaryReader in);

    /** The bytes of the value alone. */
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
