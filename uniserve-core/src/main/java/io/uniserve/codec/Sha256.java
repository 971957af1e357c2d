package io.uniserve.codec;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of bytes, as the 64 lower-case hexadecimal digits that objects are named by. Safe for use by several threads. */
public final class Sha256 {
    /** Digits of a hash. */
    public static final int HEX_CHARS = 64;

    private Sha256() {}

    /** The hash of the bytes. */
    public static String hex(Bytes data) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(data.buffer());
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
