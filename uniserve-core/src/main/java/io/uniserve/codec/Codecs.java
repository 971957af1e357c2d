package io.uniserve.codec;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Codecs of common types. */
public final class Codecs {
    public static final Codec<String> STRING = of(BinaryWriter::writeString, BinaryReader::readString);
    public static final Codec<Integer> INT = of(BinaryWriter::writeInt, BinaryReader::readInt);
    public static final Codec<Long> LONG = of(BinaryWriter::writeLong, BinaryReader::readLong);
    public static final Codec<Double> DOUBLE = of(BinaryWriter::writeDouble, BinaryReader::readDouble);
    public static final Codec<Boolean> BOOLEAN = of(BinaryWriter::writeBoolean, BinaryReader::readBoolean);
    public static final Codec<Bytes> BYTES = of(BinaryWriter::writeBytes, BinaryReader::readBytes);

    private Codecs() {}

    /** Codec from its two halves. */
    public static <T extends @Nullable Object> Codec<T> of(Writer<T> writer, Reader<T> reader) {
        return new Codec<>() {
            @Override
            public void write(BinaryWriter out, T value) {
                writer.write(out, value);
            }

            @Override
            public T read(BinaryReader in) {
                return reader.read(in);
            }
        };
    }

    /** Codec of the same values and null, with a byte as a flag. */
    @SuppressWarnings("NullAway") // its checks do not support nullable type arguments
    public static <T> Codec<@Nullable T> nullable(Codec<T> codec) {
        return of(
                (out, value) -> {
                    out.writeBoolean(value != null);
                    if (value != null) {
                        codec.write(out, value);
                    }
                },
                in -> in.readBoolean() ? codec.read(in) : null);
    }

    /** Codec of a list with elements of at least one byte each. With {@link #nullable} elements some may be null. */
    public static <T extends @Nullable Object> Codec<List<T>> list(Codec<T> element) {
        return of(
                (out, list) -> {
                    out.writeInt(list.size());
                    list.forEach(value -> element.write(out, value));
                },
                in -> {
                    int count = in.readCount(1);
                    List<T> list = new ArrayList<>(count);
                    for (int i = 0; i < count; i++) {
                        list.add(element.read(in));
                    }
                    return Collections.unmodifiableList(list);
                });
    }

    /** Codec of a map, read in the order written, with entries of at least two bytes each. For a duplicate key the last value counts. */
    public static <K, V extends @Nullable Object> Codec<Map<K, V>> map(Codec<K> key, Codec<V> value) {
        return of(
                (out, map) -> {
                    out.writeInt(map.size());
                    map.forEach((k, v) -> {
                        key.write(out, k);
                        value.write(out, v);
                    });
                },
                in -> {
                    Map<K, V> map = new LinkedHashMap<>();
                    for (int left = in.readCount(2); left > 0; left--) {
                        map.put(key.read(in), value.read(in));
                    }
                    return Collections.unmodifiableMap(map);
                });
    }

    /** Appends a value. */
    @FunctionalInterface
    public interface Writer<T extends @Nullable Object> {
        void write(BinaryWriter out, T value);
    }

    /** Reads a value. */
    @FunctionalInterface
    public interface Reader<T extends @Nullable Object> {
        T read(BinaryReader in);
    }
}
