package io.uniserve.codec;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Arrays;

/**
 * Writer of primitive values, big-endian, and of length-prefixed bytes to a growing buffer. A writer with a limit fails with TOO_LARGE
 * before it allocates more. Not thread-safe.
 */
public final class BinaryWriter {
    private static final int IN_PLACE_MAX = 64;
    private static final int UNUSED_SHARE = 8;
    private static final byte[] EMPTY_BUFFER = {};
    private static final int ARRAY_MAX = Integer.MAX_VALUE - 8;

    private final int bytesMax;
    private byte[] buffer;
    private int size;

    public BinaryWriter() {
        this(128);
    }

    public BinaryWriter(int capacity) {
        this(capacity, ARRAY_MAX);
    }

    private BinaryWriter(int capacity, int bytesMax) {
        this.bytesMax = bytesMax;
        this.buffer = new byte[Math.min(Math.max(16, capacity), bytesMax)];
    }

    /** Writer with a limit in bytes. It fails with TOO_LARGE above. */
    public static BinaryWriter limited(int bytesMax) {
        return new BinaryWriter(128, bytesMax);
    }

    public BinaryWriter writeByte(int value) {
        ensureCapacity(1);
        buffer[size++] = (byte) value;
        return this;
    }

    public BinaryWriter writeBoolean(boolean value) {
        return writeByte(value ? 1 : 0);
    }

    public BinaryWriter writeInt(int value) {
        ensureCapacity(4);
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
        return writeInt(value.size()).writeRaw(value);
    }

    /** Appends only the bytes, without their length. */
    public BinaryWriter writeRaw(Bytes value) {
        ensureCapacity(value.size());
        value.copyTo(buffer, size);
        size += value.size();
        return this;
    }

    /** Appends the text as UTF-8 with its length. A lone surrogate fails with INVALID_ARGUMENT, and nothing is written. */
    public BinaryWriter writeString(String value) {
        // A text has at least one byte per character: reject it before the copy if it cannot fit.
        if (value.length() > bytesMax - size) {
            throw tooLargeError();
        }
        if (writeShortAscii(value)) {
            return this;
        }
        return writeBytes(Bytes.utf8(CodePoints.checked(ErrorCode.INVALID_ARGUMENT, "text", value)));
    }

    /** Appends a short ASCII text without a copy, the usual case. False, and nothing is written, if it is long or not ASCII. */
    private boolean writeShortAscii(String value) {
        int length = value.length();
        if (length > IN_PLACE_MAX) {
            return false;
        }
        ensureCapacity(4 + length);
        int at = size + 4;
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c > 0x7f) {
                return false;
            }
            buffer[at + i] = (byte) c;
        }
        writeInt(length);
        size += length;
        return true;
    }

    /** Overwrites four bytes that were written before, such as a count that is known only at the end. */
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

    /** Returns a copy of the written bytes. */
    public Bytes toBytes() {
        return Bytes.wrap(Arrays.copyOf(buffer, size));
    }

    /** Returns the written bytes, without a copy if little of the buffer is unused. The writer is empty afterwards. */
    public Bytes finish() {
        Bytes all = buffer.length - size <= buffer.length / UNUSED_SHARE ? Bytes.wrap(buffer, 0, size) : toBytes();
        buffer = EMPTY_BUFFER;
        size = 0;
        return all;
    }

    /** Applies the reader to the bytes written from this position on. It must not keep or change them. */
    public <R> R view(int position, Bytes.View<R> reader) {
        return reader.read(buffer, position, size - position);
    }

    private void ensureCapacity(int more) {
        if (more > buffer.length - size) {
            if (more > bytesMax - size) {
                throw tooLargeError();
            }
            long wanted = Math.max((long) size + more, buffer.length * 2L);
            buffer = Arrays.copyOf(buffer, (int) Math.min(wanted, bytesMax));
        }
    }

    private UniserveException tooLargeError() {
        return new UniserveException(ErrorCode.TOO_LARGE, "the encoded value has more than " + bytesMax + " bytes");
    }
}
