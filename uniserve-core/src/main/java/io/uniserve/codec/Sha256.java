package io.uniserve.codec;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** SHA-256 of bytes, as 64 lower-case hexadecimal digits, which are used in names of objects. Thread-safe. */
public final class Sha256 {
    /** Digits of a hash. */
    public static final int HEX_CHARS = 64;

    private Sha256() {}

    /** The hash of the bytes. */
    public static String hex(Bytes data) {
        return hex(List.of(data));
    }

    /** The hash of these bytes, one after the other. */
    public static String hex(List<Bytes> parts) {
        Sum sum = new Sum();
        parts.forEach(sum::add);
        return sum.hex();
    }

    /** Incremental hash. Not thread-safe. */
    public static final class Sum {
        private final MessageDigest digest;

        /** Hash of no bytes so far. */
        public Sum() {
            try {
                digest = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has SHA-256", e);
            }
        }

        /** Adds the next bytes. */
        public void add(Bytes part) {
            part.view((array, offset, size) -> {
                digest.update(array, offset, size);
                return size;
            });
        }

        /** The hash of all bytes. Call it once, at the end. */
        public String hex() {
            return HexFormat.of().formatHex(digest.digest());
        }
    }
}
