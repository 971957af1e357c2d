package io.uniserve.runtime.proto;

import com.google.protobuf.ByteOutput;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.uniserve.codec.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/** Mapping of payload bytes to and from protobuf without a copy: both sides are immutable. */
public final class BytesMapping {
    private BytesMapping() {}

    public static ByteString toProto(Bytes bytes) {
        return bytes.size() == 0 ? ByteString.EMPTY : bytes.view(UnsafeByteOperations::unsafeWrap);
    }

    /** Returns a view of the message's own array; a string in several pieces is copied. */
    public static Bytes fromProto(String field, ByteString string, int bytesMax) {
        if (string.size() > bytesMax) {
            throw ProtoValidator.malformed(field + " has " + string.size() + " bytes, at most " + bytesMax);
        }
        if (string.isEmpty()) {
            return Bytes.EMPTY;
        }
        Catch target = new Catch(string.size());
        try {
            UnsafeByteOperations.unsafeWriteTo(string, target);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return target.whole;
    }

    /** Output that takes the array of a string in one piece, and collects the pieces of others. */
    private static final class Catch extends ByteOutput {
        private final int size;
        private Bytes whole = Bytes.EMPTY;
        private byte[] copy = new byte[0];
        private int written;

        private Catch(int size) {
            this.size = size;
        }

        @Override
        public void writeLazy(byte[] value, int offset, int length) {
            if (length == size) {
                whole = Bytes.wrap(value, offset, length);
            } else {
                write(value, offset, length);
            }
        }

        @Override
        public void writeLazy(ByteBuffer value) {
            write(value);
        }

        @Override
        public void write(byte value) {
            write(new byte[] {value}, 0, 1);
        }

        @Override
        public void write(byte[] value, int offset, int length) {
            write(ByteBuffer.wrap(value, offset, length));
        }

        @Override
        public void write(ByteBuffer value) {
            if (copy.length == 0) {
                copy = new byte[size];
                whole = Bytes.wrap(copy);
            }
            int length = value.remaining();
            value.duplicate().get(copy, written, length);
            written += length;
        }
    }
}
