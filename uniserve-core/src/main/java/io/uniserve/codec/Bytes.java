package io.uniserve.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Immutable sequence of bytes: a view of an array without a copy. Thread-safe. Equality is by content. */
public final class Bytes {
    public static final Bytes EMPTY = new Bytes(new byte[0], 0, 0);

    private final byte[] array;
    private final int offset;
    private final int size;

    private Bytes(byte[] array, int offset, int size) {
        this.array = array;
        this.offset = offset;
        this.size = size;
    }

    /** Wraps an array without a copy. The caller must never change the array again. */
    public static Bytes wrap(byte[] array) {
        return new Bytes(array, 0, array.length);
    }

    /** Wraps part of an array without a copy. */
    public static Bytes wrap(byte[] array, int offset, int size) {
        if (offset < 0 || size < 0 || offset > array.length - size) {
            throw new IndexOutOfBoundsException("offset " + offset + " size " + size + " of " + array.length);
        }
        return new Bytes(array, offset, size);
    }

    /** Copies the remaining bytes of the buffer. Its position does not change. */
    public static Bytes copyOf(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return wrap(copy);
    }

    /** The text as UTF-8. */
    public static Bytes utf8(String text) {
        return wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    public int size() {
        return size;
    }

    public byte at(int index) {
        return array[offset + java.util.Objects.checkIndex(index, size)];
    }

    /** A part of these bytes, shared. */
    public Bytes slice(int from, int length) {
        if (from < 0 || length < 0 || from > size - length) {
            throw new IndexOutOfBoundsException("slice " + from + "+" + length + " of " + size);
        }
        return new Bytes(array, offset + from, length);
    }

    /** A read-only view. */
    public ByteBuffer buffer() {
        return ByteBuffer.wrap(array, offset, size).slice().asReadOnlyBuffer();
    }

    /** Applies the reader to the bytes in place. It must not change them. */
    public <R> R view(View<R> reader) {
        return reader.read(array, offset, size);
    }

    /** Reader of {@code size} bytes of an array from an offset. */
    @FunctionalInterface
    public interface View<R> {
        R read(byte[] array, int offset, int size);
    }

    /** True for a view of the very same memory. */
    public boolean isSameView(Bytes other) {
        return array == other.array && offset == other.offset && size == other.size;
    }

    /** A copy. */
    public byte[] toArray() {
        return Arrays.copyOfRange(array, offset, offset + size);
    }

    /** Copies all bytes into the target at this position. */
    public void copyTo(byte[] target, int at) {
        System.arraycopy(array, offset, target, at, size);
    }

    /** The bytes decoded as UTF-8. */
    public String utf8() {
        return new String(array, offset, size, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Bytes that
                && Arrays.equals(array, offset, offset + size, that.array, that.offset, that.offset + that.size);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = offset; i < offset + size; i++) {
            hash = 31 * hash + array[i];
        }
        return hash;
    }

    @Override
    public String toString() {
        return "Bytes[" + size + "]";
    }
}
