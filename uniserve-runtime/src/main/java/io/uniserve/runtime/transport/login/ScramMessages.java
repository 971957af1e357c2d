package io.uniserve.runtime.transport.login;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.UserCredential;
import io.uniserve.runtime.security.ScramSha256;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Messages of SCRAM (RFC 5802, section 7) without extensions and channel binding. */
final class ScramMessages {
    private static final int ITERATIONS_DIGITS_MAX = 9;
    private static final String BASE64 = "[A-Za-z0-9+/]+={0,2}";
    /** Printable characters except the comma. */
    private static final String NONCE = "[\\x21-\\x2B\\x2D-\\x7E]+";

    private static final Pattern CLIENT_FIRST = Pattern.compile("([ny],,)(n=([^,=]*),r=(" + NONCE + "))");
    private static final Pattern SERVER_FIRST = Pattern.compile(
            "r=(" + NONCE + "),s=(" + BASE64 + "),i=([1-9][0-9]{0," + (ITERATIONS_DIGITS_MAX - 1) + "})");
    private static final Pattern CLIENT_FINAL =
            Pattern.compile("(c=(" + BASE64 + "),r=(" + NONCE + ")),p=(" + BASE64 + ")");
    private static final Pattern SERVER_FINAL = Pattern.compile("v=(" + BASE64 + ")");

    private ScramMessages() {}

    /**
     * @param header header of channel binding
     * @param bare message without the header
     */
    record ClientFirst(String header, String bare, String user, String nonce) {
        static ClientFirst parse(String text) {
            Matcher parts = match("client-first-message", CLIENT_FIRST, text);
            return new ClientFirst(parts.group(1), parts.group(2), RoleGrant.checkUser(parts.group(3)), parts.group(4));
        }
    }

    record ServerFirst(String nonce, byte[] salt, int iterations) {
        /** Fails with INVALID_ARGUMENT if it is malformed, or asks for too few or too many iterations. */
        static ServerFirst parse(String text) {
            Matcher parts = match("server-first-message", SERVER_FIRST, text);
            return new ServerFirst(
                    parts.group(1),
                    decode("salt", parts.group(2)),
                    UserCredential.checkIterations(Integer.parseInt(parts.group(3))));
        }
    }

    /** @param withoutProof the message up to its proof */
    record ClientFinal(String withoutProof, String binding, String nonce, byte[] proof) {
        static ClientFinal parse(String text) {
            Matcher parts = match("client-final-message", CLIENT_FINAL, text);
            byte[] proof = decode("proof", parts.group(4));
            if (proof.length != ScramSha256.HASH_BYTES) {
                throw UniserveException.invalid(
                        "proof of a login has " + proof.length + " bytes, it must have " + ScramSha256.HASH_BYTES);
            }
            return new ClientFinal(parts.group(1), parts.group(2), parts.group(3), proof);
        }
    }

    /** Signature in a server-final-message. */
    static byte[] serverSignature(String text) {
        return decode(
                "signature", match("server-final-message", SERVER_FINAL, text).group(1));
    }

    static String encode(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** What both sides sign. */
    static String authMessage(String clientFirstBare, String serverFirst, String clientFinalWithoutProof) {
        return clientFirstBare + "," + serverFirst + "," + clientFinalWithoutProof;
    }

    private static Matcher match(String name, Pattern pattern, String text) {
        if (text.length() > Limits.LOGIN_MESSAGE_CHARS_MAX) {
            throw UniserveException.invalid(name + " of a login has " + text.length() + " characters, at most "
                    + Limits.LOGIN_MESSAGE_CHARS_MAX);
        }
        Matcher parts = pattern.matcher(text);
        if (!parts.matches()) {
            throw UniserveException.invalid(
                    name + " of a login is malformed: use SCRAM-SHA-256 without channel binding");
        }
        return parts;
    }

    /** Fails with INVALID_ARGUMENT unless the text is the one encoding of its bytes. */
    private static byte[] decode(String field, String text) {
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw UniserveException.invalid(field + " of a login is no Base64");
        }
        if (!encode(bytes).equals(text)) {
            throw UniserveException.invalid(field + " of a login is no Base64 in its shortest form");
        }
        return bytes;
    }
}
