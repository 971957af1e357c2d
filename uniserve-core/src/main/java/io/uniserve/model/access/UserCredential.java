package io.uniserve.model.access;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/**
 * Proof of a user's password (SCRAM-SHA-256, RFC 5802 and 7677). The password cannot be computed from it, and a login needs the password.
 *
 * @param user name of the user
 * @param salt random bytes
 * @param iterations iterations of PBKDF2
 * @param storedKey hash of the client's key, which verifies a login
 * @param serverKey key by which a server proves that it has this credential
 */
public record UserCredential(String user, Bytes salt, int iterations, Bytes storedKey, Bytes serverKey) {
    /** Fails with INVALID_ARGUMENT if a part has another size, or the user's name is malformed. */
    public UserCredential {
        RoleGrant.checkUser(user);
        checkSize("salt", salt, Limits.PASSWORD_SALT_BYTES);
        checkIterations(iterations);
        checkSize("stored key", storedKey, Limits.PASSWORD_KEY_BYTES);
        checkSize("server key", serverKey, Limits.PASSWORD_KEY_BYTES);
    }

    /** Returns the number if it can be that of a password's iterations. Fails with INVALID_ARGUMENT otherwise. */
    public static int checkIterations(int iterations) {
        if (iterations < Limits.PASSWORD_ITERATIONS_MIN || iterations > Limits.PASSWORD_ITERATIONS_MAX) {
            throw UniserveException.invalid("iterations of a password: " + iterations + ", use "
                    + Limits.PASSWORD_ITERATIONS_MIN + " to " + Limits.PASSWORD_ITERATIONS_MAX);
        }
        return iterations;
    }

    private static void checkSize(String field, Bytes bytes, int size) {
        if (bytes.size() != size) {
            throw UniserveException.invalid(
                    field + " of a password has " + bytes.size() + " bytes, it must have " + size);
        }
    }

    /** The name and the iterations; never the keys. */
    @Override
    public String toString() {
        return user + " (" + iterations + " iterations)";
    }
}
