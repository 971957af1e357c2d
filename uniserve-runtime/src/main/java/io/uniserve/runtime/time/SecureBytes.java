package io.uniserve.runtime.time;

import java.security.SecureRandom;

/** Random bytes for keys, salts and nonces. Thread-safe. */
public final class SecureBytes {
    private static final SecureRandom RANDOM = new SecureRandom();

    private SecureBytes() {}

    /** New random bytes. */
    public static byte[] next(int size) {
        byte[] bytes = new byte[size];
        RANDOM.nextBytes(bytes);
        return bytes;
    }
}
