package io.uniserve.runtime.store;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/** Format of an object's file: magic number, length, SHA-256 of the bytes, the bytes. */
final class ObjectFileFormat {
    static final int HEADER_BYTES = 8 + 8 + 32;

    private static final long MAGIC = 0x756e69736f626a31L;

    private ObjectFileFormat() {}

    static byte[] sha256(Bytes data) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(data.buffer());
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static List<ByteBuffer> encode(Bytes data) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        header.putLong(MAGIC).putLong(data.size()).put(sha256(data)).flip();
        return List.of(header, data.buffer());
    }

    /** Reads and verifies an object. Fails with CORRUPT if a bit differs or the length is wrong. */
    static Bytes read(Path file, String key) throws IOException {
        byte[] all;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            if (size < HEADER_BYTES || size > Integer.MAX_VALUE - 8) {
                throw corrupt(key, "its file has " + size + " bytes");
            }
            ByteBuffer buffer = ByteBuffer.allocate((int) size);
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // A file of this size is read in one or a few pieces.
            }
            if (buffer.hasRemaining()) {
                throw corrupt(key, "its file became shorter while it was read");
            }
            all = buffer.array();
        }
        ByteBuffer header = ByteBuffer.wrap(all, 0, HEADER_BYTES);
        long magic = header.getLong();
        long length = header.getLong();
        if (magic != MAGIC || length != all.length - HEADER_BYTES) {
            throw corrupt(key, "its header is damaged or its length wrong");
        }
        byte[] expected = new byte[32];
        header.get(expected);
        Bytes data = Bytes.wrap(all, HEADER_BYTES, (int) length);
        if (!MessageDigest.isEqual(expected, sha256(data))) {
            throw corrupt(key, "its checksum differs");
        }
        return data;
    }

    private static UniserveException corrupt(String key, String why) {
        return new UniserveException(ErrorCode.CORRUPT, "object " + key + " is damaged: " + why);
    }
}
