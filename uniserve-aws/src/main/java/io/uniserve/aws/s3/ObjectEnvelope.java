package io.uniserve.aws.s3;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Content of a stored object: magic number, length of the data, SHA-256 of key and data, the data. So a truncated object, a flipped bit, and
 * an object under another one's key are found, whatever the store checks. A bucket can be copied to another prefix.
 */
final class ObjectEnvelope {
    static final int HEADER_BYTES = 8 + 8 + 32;
    private static final long MAGIC = 0x756e69736f626a32L;

    private ObjectEnvelope() {}

    /** Header and data in one array. */
    static byte[] encode(String key, Bytes data) {
        byte[] all = new byte[HEADER_BYTES + data.size()];
        data.copyTo(all, HEADER_BYTES);
        ByteBuffer.wrap(all).putLong(MAGIC).putLong(data.size()).put(digest(key, all));
        return all;
    }

    /** Hexadecimal digest of an encoded object, for its metadata. */
    static String digestOf(byte[] encoded) {
        return HexFormat.of().formatHex(encoded, HEADER_BYTES - 32, HEADER_BYTES);
    }

    /**
     * The data of a stored object.
     *
     * @throws UniserveException CORRUPT if it is not the object that was stored under this key
     */
    static Bytes decode(String key, byte[] all) {
        if (all.length < HEADER_BYTES) {
            throw corrupt(key, "it has only " + all.length + " bytes");
        }
        ByteBuffer header = ByteBuffer.wrap(all);
        if (header.getLong() != MAGIC) {
            throw corrupt(key, "Uniserve has not stored it");
        }
        long length = header.getLong();
        if (length != all.length - HEADER_BYTES) {
            throw corrupt(key, "it has " + (all.length - HEADER_BYTES) + " of " + length + " bytes");
        }
        byte[] expected = new byte[32];
        header.get(expected);
        if (!MessageDigest.isEqual(expected, digest(key, all))) {
            throw corrupt(key, "its checksum differs, or it was stored under another key");
        }
        return Bytes.wrap(all, HEADER_BYTES, (int) length);
    }

    private static byte[] digest(String key, byte[] all) {
        MessageDigest digest = sha256();
        digest.update(key.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
        digest.update(all, HEADER_BYTES, all.length - HEADER_BYTES);
        return digest.digest();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static UniserveException corrupt(String key, String why) {
        return new UniserveException(ErrorCode.CORRUPT, "object " + key + " is damaged: " + why);
    }
}
