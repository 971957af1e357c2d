package io.uniserve.runtime.transport.login;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.security.ScramSha256;
import io.uniserve.runtime.transport.login.ScramMessages.ServerFirst;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Client side of one exchange of SCRAM-SHA-256. Not thread-safe. */
final class ScramExchange {
    private static final String HEADER = "n,,";

    private final String nonce;
    private final String bare;
    private byte[] serverSignature = new byte[0];

    /** Keys of a salted password; a client keeps them instead of the password's computation. */
    record Keys(byte[] clientKey, byte[] serverKey) {
        static Keys of(byte[] saltedPassword) {
            return new Keys(ScramSha256.clientKey(saltedPassword), ScramSha256.serverKey(saltedPassword));
        }

        @Override
        public String toString() {
            return "keys";
        }
    }

    /** @param nonce random text of this exchange */
    ScramExchange(String user, String nonce) {
        this.nonce = nonce;
        this.bare = "n=" + user + ",r=" + nonce;
    }

    String clientFirst() {
        return HEADER + bare;
    }

    /** Parses the server's first message. Fails with UNAUTHORIZED if it is not an answer to this exchange. */
    ServerFirst serverFirst(String message) {
        ServerFirst first = ServerFirst.parse(message);
        if (!first.nonce().startsWith(nonce) || first.nonce().length() == nonce.length()) {
            throw new UniserveException(ErrorCode.UNAUTHORIZED, "the server answered another login: its nonce differs");
        }
        return first;
    }

    /** @param serverFirst the server's first message as it was received */
    String clientFinal(String serverFirst, ServerFirst first, Keys keys) {
        String withoutProof =
                "c=" + ScramMessages.encode(HEADER.getBytes(StandardCharsets.UTF_8)) + ",r=" + first.nonce();
        String auth = ScramMessages.authMessage(bare, serverFirst, withoutProof);
        byte[] signature = ScramSha256.hmac(ScramSha256.hash(keys.clientKey()), auth);
        serverSignature = ScramSha256.hmac(keys.serverKey(), auth);
        return withoutProof + ",p=" + ScramMessages.encode(ScramSha256.xor(keys.clientKey(), signature));
    }

    /** Fails with UNAUTHORIZED if the server does not prove that it has the user's credential. */
    void verify(String serverFinal) {
        if (serverSignature.length == 0
                || !MessageDigest.isEqual(serverSignature, ScramMessages.serverSignature(serverFinal))) {
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    "the server does not know this user's password: it is not of this cluster; check its address and"
                            + " --tls-trust");
        }
    }
}
