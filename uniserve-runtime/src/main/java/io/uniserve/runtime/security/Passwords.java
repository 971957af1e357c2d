package io.uniserve.runtime.security;

import com.ongres.saslprep.SASLprep;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import io.uniserve.runtime.time.SecureBytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Passwords of users. Stateless and thread-safe. No error has a password in its text. */
public final class Passwords {
    private static final int UTF8_BYTES_PER_CHAR = 4;

    private Passwords() {}

    /**
     * Normal form of a password (SASLprep, RFC 4013), so that it is the same with every keyboard.
     *
     * @throws UniserveException INVALID_ARGUMENT if it is empty, too long, or has a character that passwords must not have
     */
    public static char[] prepare(char[] password) {
        if (password.length == 0 || password.length > Limits.PASSWORD_CHARS_MAX) {
            throw UniserveException.invalid(
                    "the password has " + password.length + " characters: use 1 to " + Limits.PASSWORD_CHARS_MAX);
        }
        char[] prepared;
        try {
            prepared = new SASLprep().prepareStored(password.clone());
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) { // the latter if all characters are ignored
            // The cause may have the character in its text.
            throw UniserveException.invalid(
                    "the password has a character that passwords must not have (RFC 4013), such as a"
                            + " control character or an emoji: choose another one");
        }
        if (prepared.length == 0) {
            throw UniserveException.invalid("the password has only characters that are ignored: choose another one");
        }
        return prepared;
    }

    /**
     * Credential of a user with a new password and a random salt.
     *
     * @throws UniserveException INVALID_ARGUMENT if the password is too short or as {@link #prepare} fails, or the user's name or
     *     the number of iterations is wrong
     */
    public static UserCredential newCredential(String user, char[] password, int iterations) {
        char[] prepared = prepare(password);
        if (prepared.length < Limits.PASSWORD_CHARS_MIN) {
            throw UniserveException.invalid("the new password has " + prepared.length + " characters: use at least "
                    + Limits.PASSWORD_CHARS_MIN);
        }
        UserCredential.checkIterations(iterations);
        byte[] salt = SecureBytes.next(Limits.PASSWORD_SALT_BYTES);
        return ScramSha256.credential(user, ScramSha256.saltedPassword(prepared, salt, iterations), salt, iterations);
    }

    /**
     * Password in the first line of a file, in UTF-8.
     *
     * @param key name of the setting or option, for errors
     * @throws UniserveException INVALID_CONFIGURATION if the file cannot be read or has no such line
     */
    public static char[] ofFile(String key, Path file) {
        int max = (Limits.PASSWORD_CHARS_MAX + 2) * UTF8_BYTES_PER_CHAR;
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(max + 1);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    key + ": file " + file + " cannot be read: check its name and rights",
                    e);
        }
        try {
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            int end = 0;
            while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
                end++;
            }
            if (end == 0 || end > Limits.PASSWORD_CHARS_MAX || bytes.length > max) {
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        key + ": file " + file + " must have the password as its only line, 1 to "
                                + Limits.PASSWORD_CHARS_MAX + " characters");
            }
            char[] password = new char[end];
            text.get(password);
            return password;
        } catch (CharacterCodingException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, key + ": file " + file + " is not UTF-8: write it anew", e);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }
}
