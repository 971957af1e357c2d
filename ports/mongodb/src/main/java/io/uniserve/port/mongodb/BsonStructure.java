package io.uniserve.port.mongodb;

import io.uniserve.error.UniserveException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Check that all lengths in BSON from the network are within it: the driver allocates what a length says. Stateless. */
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
        while (in.get() != 0) {
            // up to the end of the name
        }
    }

    private static void value(ByteBuffer in, byte type, int depth) {
        switch (type) {
            case 0x01, 0x09, 0x11, 0x12 -> skip(in, Long.BYTES);
            case 0x02, 0x0D, 0x0E -> skip(in, in.getInt());
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
