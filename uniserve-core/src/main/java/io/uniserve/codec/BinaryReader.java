package io.uniserve.codec;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;

/** Reader of the format of {@link BinaryWriter}. It checks every length against the remaining bytes before use. Not thread-safe. */
public final class BinaryReader {
    private final Bytes bytes;
    private int position;

    public BinaryReader(Bytes bytes) {
        this.bytes = bytes;
    }

    public byte readByte() {
        requireRemaining(1);
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
        requireRemaining(4);
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

    /** Reads length-prefixed bytes, shared with the input. */
    public Bytes readBytes() {
        int length = readInt();
        if (length < 0) {
            throw corrupt("negative length " + length);
        }
        requireRemaining(length);
        Bytes slice = bytes.slice(position, length);
        position += length;
        return slice;
    }

    /** Reads a text. It fails with CORRUPT if its bytes are not UTF-8. */
    public String readString() {
        Bytes bytes = readBytes();
        return checked(bytes, bytes.utf8());
    }

    /** Reads a text with few different values, such as the name of a field. Usually it returns an existing String instead of a new one. */
    public String readName() {
        Bytes bytes = readBytes();
        return checked(bytes, bytes.view(NameInterner::intern));
    }

    /** Invalid UTF-8 decodes to U+FFFD, so a text with that character must encode to the same bytes. */
    private static String checked(Bytes bytes, String text) {
        if (text.indexOf('\ufffd') >= 0 && !Bytes.utf8(text).equals(bytes)) {
            throw corrupt("a text is not UTF-8");
        }
        return text;
    }

    /**
     * Reads a number of elements. It checks the number against the remaining bytes.
     *
     * @param elementBytesMin minimum size of each element
     */
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

    /** Fails with CORRUPT if bytes are left over. */
    public void expectEnd() {
        if (remaining() != 0) {
            throw corrupt(remaining() + " unexpected bytes at the end");
        }
    }

    private void requireRemaining(int count) {
        if (count > remaining()) {
            throw corrupt("needs " + count + " bytes, " + remaining() + " remain");
        }
    }

    private static UniserveException corrupt(String message) {
        return new UniserveException(ErrorCode.CORRUPT, message);
    }
}
