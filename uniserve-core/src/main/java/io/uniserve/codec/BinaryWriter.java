package io.uniserve.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Appends primitive values, big-endian, and length-prefixed bytes to a growing buffer. Not thread-safe. */
public final class BinaryWriter {
    private byte[] buffer;
    private int size;

    public BinaryWriter() {
        this(128);
    }

    public BinaryWriter(int capacity) {
        this.buffer = new byte[Math.max(16, capacity)];
    }

    public BinaryWriter writeByte(int value) {
        room(1);
        buffer[size++] = (byte) value;
        return this;
    }

    public BinaryWriter writeBoolean(boolean value) {
        return writeByte(value ? 1 : 0);
    }

    public BinaryWriter writeInt(int value) {
        room(4);
        buffer[size++] = (byte) (value >>> 24);
        buffer[size++] = (byte) (value >>> 16);
        buffer[size++] = (byte) (value >>> 8);
        buffer[size++] = (byte) value;
        return this;
    }

    public BinaryWriter writeLong(long value) {
        return writeInt((int) (value >>> 32)).writeInt((int) value);
    }

    public BinaryWriter writeDouble(double value) {
        return writeLong(Double.doubleToRawLongBits(value));
    }

    public BinaryWriter writeBytes(Bytes value) {
        writeInt(value.size());
        room(value.size());
        value.copyTo(buffer, size);
        size += value.size();
        return this;
    }

    /** The bytes alone, without their length. */
    public BinaryWriter writeRaw(Bytes value) {
        room(value.size());
        value.copyTo(buffer, size);
        size += value.size();
        return this;
    }

    public BinaryWriter writeString(String value) {
        return writeBytes(Bytes.wrap(value.getBytes(StandardCharsets.UTF_8)));
    }

    /** Writes over four bytes that were written before, such as a count that is known only at the end. */
    public BinaryWriter setInt(int position, int value) {
        java.util.Objects.checkFromIndexSize(position, 4, size);
        buffer[position] = (byte) (value >>> 24);
        buffer[position + 1] = (byte) (value >>> 16);
        buffer[position + 2] = (byte) (value >>> 8);
        buffer[position + 3] = (byte) value;
        return this;
    }

    public int size() {
        return size;
    }

    /** A copy of what was written. */
    public Bytes toBytes() {
        return Bytes.wrap(Arrays.copyOf(buffer, size));
    }

    private void room(int more) {
        if (more > buffer.length - size) {
            long wanted = Math.max((long) size + more, buffer.length * 2L);
            buffer = Arrays.copyOf(buffer, (int) Math.min(wanted, Integer.MAX_VALUE - 8));
        }
    }
}
