package io.uniserve.codec;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;

/** Reads what {@link BinaryWriter} wrote. Every length is checked against what remains before use. Not thread-safe. */
public final class BinaryReader {
    private final Bytes bytes;
    private int position;

    public BinaryReader(Bytes bytes) {
        this.bytes = bytes;
    }

    public byte readByte() {
        need(1);
        return bytes.at(position++);
    }

    public boolean readBoolean() {
        byte value = readByte();
        if (value != 0 && value != 1) {
            throw corrupt("a boolean is 0 or 1, not " + value);
        }
        return value == 1;
    }

    public int readInt() {
        need(4);
        int value = 0;
        for (int i = 0; i < 4; i++) {
            value = value << 8 | bytes.at(position++) & 0xff;
        }
        return value;
    }

    public long readLong() {
        return (long) readInt() << 32 | readInt() & 0xffffffffL;
    }

    public double readDouble() {
        return Double.longBitsToDouble(readLong());
    }

    /** Length-prefixed bytes, shared with the input. */
    public Bytes readBytes() {
        int length = readInt();
        if (length < 0) {
            throw corrupt("negative length " + length);
        }
        need(length);
        Bytes slice = bytes.slice(position, length);
        position += length;
        return slice;
    }

    /** A text; CORRUPT where its bytes are not UTF-8. */
    public String readString() {
        Bytes bytes = readBytes();
        return checked(bytes, bytes.utf8());
    }

    /** A string that many others are equal to, as the name of a field: mostly one that was read before, itself. */
    public String readName() {
        Bytes bytes = readBytes();
        return checked(bytes, bytes.view(NameInterner::of));
    }

    /** What is not UTF-8 is read as U+FFFD: a text that has one must be the one of these bytes. */
    private static String checked(Bytes bytes, String text) {
        if (text.indexOf('\ufffd') >= 0 && !Bytes.utf8(text).equals(bytes)) {
            throw corrupt("a text is not UTF-8");
        }
        return text;
    }

    /** A count of elements that each take at least {@code elementBytesMin} bytes, checked against what remains. */
    public int readCount(int elementBytesMin) {
        int count = readInt();
        if (count < 0 || (long) count * Math.max(1, elementBytesMin) > remaining()) {
            throw corrupt("count " + count + " does not fit in " + remaining() + " bytes");
        }
        return count;
    }

    public int remaining() {
        return bytes.size() - position;
    }

    /** Fails when bytes are left over. */
    public void expectEnd() {
        if (remaining() != 0) {
            throw corrupt(remaining() + " bytes left over");
        }
    }

    private void need(int count) {
        if (count > remaining()) {
            throw corrupt("needs " + count + " bytes, " + remaining() + " remain");
        }
    }

    private static UniserveException corrupt(String message) {
        return new UniserveException(ErrorCode.CORRUPT, message);
    }
}
