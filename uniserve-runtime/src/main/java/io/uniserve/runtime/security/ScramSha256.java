package io.uniserve.runtime.security;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.UserCredential;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** Functions of SCRAM-SHA-256 (RFC 5802 and 7677). Stateless and thread-safe. */
public final class ScramSha256 {
    /** Size of a hash and of a key. */
    public static final int HASH_BYTES = 32;

    private static final String MAC = "HmacSHA256";

    private ScramSha256() {}

    /**
     * Salted password: PBKDF2, which takes about 60 ms per 100,000 iterations.
     *
     * @param prepared the password, as {@link Passwords#prepare} returns it
     */
    public static byte[] saltedPassword(char[] prepared, byte[] salt, int iterations) {
        PBEKeySpec spec = new PBEKeySpec(prepared, salt, iterations, HASH_BYTES * Byte.SIZE);
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(spec)
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw missing(e);
        } finally {
            spec.clearPassword();
        }
    }

    /** Key by which a client proves that it has the password. */
    public static byte[] clientKey(byte[] saltedPassword) {
        return hmac(saltedPassword, "Client Key");
    }

    /** Key by which a server proves that it has the credential. */
    public static byte[] serverKey(byte[] saltedPassword) {
        return hmac(saltedPassword, "Server Key");
    }

    /** Credential of a user with this salted password. */
    public static UserCredential credential(String user, byte[] saltedPassword, byte[] salt, int iterations) {
        return new UserCredential(
                user,
                Bytes.wrap(salt.clone()),
                iterations,
                Bytes.wrap(hash(clientKey(saltedPassword))),
                Bytes.wrap(serverKey(saltedPassword)));
    }

    /** SHA-256. */
    public static byte[] hash(byte[] data) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(data);
        } catch (NoSuchAlgorithmException e) {
            throw missing(e);
        }
    }

    /** HMAC-SHA-256 of a text in UTF-8. */
    public static byte[] hmac(byte[] key, String text) {
        return hmac(key, text.getBytes(StandardCharsets.UTF_8));
    }

    /** HMAC-SHA-256. */
    public static byte[] hmac(byte[] key, byte[] data) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(new SecretKeySpec(key, MAC));
            return mac.doFinal(data);
        } catch (GeneralSecurityException e) {
            throw missing(e);
        }
    }

    /** Exclusive or of two arrays of the same length. */
    public static byte[] xor(byte[] one, byte[] other) {
        byte[] result = new byte[one.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = (byte) (one[i] ^ other[i]);
        }
        return result;
    }

    private static UniserveException missing(GeneralSecurityException cause) {
        return new UniserveException(
                ErrorCode.INTERNAL, "this JVM lacks an algorithm of SCRAM-SHA-256: use another JDK", cause);
    }
}
