package io.uniserve.port.mongodb;

import io.uniserve.error.UniserveException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Check that all lengths in BSON from the network are within it, because the driver allocates what a length says, and that texts are UTF-8.
 * Stateless.
 */
final class BsonStructure {
    private static final int DEPTH_MAX = 200;
    private static final int BINARY_HEADER = 1;
    private static final int OBJECT_ID_BYTES = 12;
    private static final int DECIMAL_BYTES = 16;

    private BsonStructure() {}

    /** Fails with INVALID_ARGUMENT if the bytes are not one document. */
    static void check(byte[] bson) {
        ByteBuffer in = ByteBuffer.wrap(bson).order(ByteOrder.LITTLE_ENDIAN);
        try {
            document(in, 0);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw invalid("ends too early");
        }
        if (in.hasRemaining()) {
            throw invalid("has " + in.remaining() + " bytes after its end");
        }
    }

    private static void document(ByteBuffer in, int depth) {
        int start = in.position();
        int length = in.getInt();
        if (length < 5 || length > in.limit() - start || depth > DEPTH_MAX) {
            throw invalid(depth > DEPTH_MAX ? "is nested too deeply" : "has a wrong length");
        }
        for (byte type = in.get(); type != 0; type = in.get()) {
            skipName(in);
            value(in, type, depth);
        }
        if (in.position() != start + length) {
            throw invalid("has a wrong length");
        }
    }

    private static void skipName(ByteBuffer in) {
        int start = in.position();
        boolean ascii = true;
        for (byte next = in.get(); next != 0; next = in.get()) {
            ascii &= next > 0;
        }
        if (!ascii) {
            checkText(in.slice(start, in.position() - start - 1));
        }
    }

    private static void skipText(ByteBuffer in) {
        int length = in.getInt();
        int start = in.position();
        skip(in, length);
        if (length < 1 || in.get(start + length - 1) != 0) {
            throw invalid("has a text without an end");
        }
        for (int i = start; i < start + length; i++) {
            if (in.get(i) < 0) {
                checkText(in.slice(start, length - 1));
                return;
            }
        }
    }

    private static void checkText(ByteBuffer text) {
        try {
            CharBuffer unused = StandardCharsets.UTF_8.newDecoder().decode(text);
        } catch (CharacterCodingException e) {
            throw invalid("has a text that is no UTF-8");
        }
    }

    private static void value(ByteBuffer in, byte type, int depth) {
        switch (type) {
            case 0x01, 0x09, 0x11, 0x12 -> skip(in, Long.BYTES);
            case 0x02, 0x0D, 0x0E -> skipText(in);
            case 0x03, 0x04 -> document(in, depth + 1);
            case 0x05 -> skip(in, (long) in.getInt() + BINARY_HEADER);
            case 0x06, 0x0A, 0x7F, (byte) 0xFF -> {}
            case 0x07 -> skip(in, OBJECT_ID_BYTES);
            case 0x08 -> skip(in, 1);
            case 0x0B -> {
                skipName(in);
                skipName(in);
            }
            case 0x10 -> skip(in, Integer.BYTES);
            case 0x13 -> skip(in, DECIMAL_BYTES);
            default -> throw invalid("has a value of type " + type + ", which is not permitted here");
        }
    }

    private static void skip(ByteBuffer in, long bytes) {
        if (bytes < 0 || bytes > in.remaining()) {
            throw invalid("has a value of a wrong length");
        }
        in.position(in.position() + (int) bytes);
    }

    private static UniserveException invalid(String what) {
        return UniserveException.invalid("BSON " + what);
    }
}
