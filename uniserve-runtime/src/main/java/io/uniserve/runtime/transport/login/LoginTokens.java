package io.uniserve.runtime.transport.login;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.ScramSha256;
import io.uniserve.runtime.time.SecureBytes;
import io.uniserve.runtime.transport.access.AccessControl;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Tokens of this process for users that logged in. A token has the user, its expiry and an authentication code over both and the user's
 * stored key; the key of that code is random and never leaves this process. So no token is stored, no other process accepts it, and a new
 * password ends it. Thread-safe; never blocks.
 */
public final class LoginTokens {
    private static final int KEY_BYTES = 32;
    private static final int CODE_BYTES = ScramSha256.HASH_BYTES;

    private final Clock clock;
    private final AccessControl access;
    private final String cluster;
    private final byte[] key = SecureBytes.next(KEY_BYTES);
    /** Tokens whose code was verified. */
    private final Map<String, Login> verified = new ConcurrentHashMap<>();

    /**
     * A user that logged in.
     *
     * @param credential the credential that it logged in with
     * @param expiryNanos end of its token, by the monotonic clock
     */
    public record Login(CertifiedIdentity identity, UserCredential credential, long expiryNanos) {}

    /** @param access source of the users */
    public LoginTokens(Clock clock, AccessControl access, String cluster) {
        this.clock = clock;
        this.access = access;
        this.cluster = cluster;
    }

    /** A new token of the user. */
    String issue(UserCredential credential) {
        long expiry = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(Limits.LOGIN_TOKEN_MS);
        byte[] user = credential.user().getBytes(StandardCharsets.UTF_8);
        byte[] token = ByteBuffer.allocate(Long.BYTES + CODE_BYTES + user.length)
                .putLong(expiry)
                .put(code(credential, expiry))
                .put(user)
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
    }

    /** Code of a token. The stored key is last and has a fixed size, so no two sets of parts give the same text. */
    private byte[] code(UserCredential credential, long expiry) {
        byte[] user = credential.user().getBytes(StandardCharsets.UTF_8);
        return ScramSha256.hmac(
                key,
                ByteBuffer.allocate(Long.BYTES + user.length + CODE_BYTES)
                        .putLong(expiry)
                        .put(user)
                        .put(ScramSha256.hash(credential.storedKey().toArray()))
                        .array());
    }

    /**
     * The user of a token; empty if the token is none of this process, has expired, or is of an earlier password: the caller has to log in
     * again. Fails with UNAVAILABLE if this process does not know the users.
     */
    public Optional<Login> verify(String token) {
        UserCredentials users = access.users().orElseThrow(AccessControl::usersUnknown);
        Login known = verified.get(token);
        Optional<Login> login = known == null ? decode(users, token) : Optional.of(known);
        Optional<Login> valid = login.filter(one -> clock.nanos() - one.expiryNanos() < 0)
                .filter(one -> users.find(one.credential().user()).equals(Optional.of(one.credential())));
        if (valid.isEmpty()) {
            verified.remove(token);
        } else if (known == null) {
            if (verified.size() >= Limits.LOGIN_TOKENS_KEPT_MAX) {
                verified.clear();
            }
            verified.put(token, valid.get());
        }
        return valid;
    }

    private Optional<Login> decode(UserCredentials users, String token) {
        if (token.length() > Limits.LOGIN_MESSAGE_CHARS_MAX) {
            return Optional.empty();
        }
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(token);
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // as any other token that is none of this process
        }
        if (bytes.length <= Long.BYTES + CODE_BYTES) {
            return Optional.empty();
        }
        ByteBuffer parts = ByteBuffer.wrap(bytes);
        long expiry = parts.getLong();
        byte[] code = new byte[CODE_BYTES];
        parts.get(code);
        return users.find(StandardCharsets.UTF_8.decode(parts).toString())
                .filter(credential -> MessageDigest.isEqual(code, code(credential, expiry)))
                .map(credential -> new Login(
                        new CertifiedIdentity(cluster, CertifiedIdentity.Kind.USER, credential.user()),
                        credential,
                        expiry));
    }

    /** The error for a token that is not valid any more. */
    public static UniserveException ended() {
        return new UniserveException(
                ErrorCode.UNAVAILABLE,
                "the login is not valid at this process: it restarted, the login is too old, or the password was changed; log"
                        + " in again");
    }
}
