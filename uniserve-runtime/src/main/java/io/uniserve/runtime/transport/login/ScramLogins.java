package io.uniserve.runtime.transport.login;

import com.google.protobuf.ByteString;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.proto.BytesMapping;
import io.uniserve.runtime.proto.LoginProto;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import io.uniserve.runtime.security.ScramSha256;
import io.uniserve.runtime.time.SecureBytes;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.login.PendingLogins.Pending;
import io.uniserve.runtime.transport.login.ScramMessages.ClientFinal;
import io.uniserve.runtime.transport.login.ScramMessages.ClientFirst;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Server side of SCRAM-SHA-256. An unknown user gets a salt that stays the same, and fails in the same step, with the same work and the same
 * error as a wrong password. Thread-safe; never blocks.
 */
public final class ScramLogins implements LoginHandler {
    private static final int NONCE_BYTES = 18;
    private static final int NUMBER_BYTES_MAX = 16;

    private final AccessControl access;
    private final LoginTokens tokens;
    private final PendingLogins pending;
    private final FailedLogins failures;
    private final Supplier<String> nonces;
    /** Key of salts while no user has a password. */
    private final byte[] ownSaltKey = SecureBytes.next(Limits.PASSWORD_KEY_BYTES);

    /** @param access source of the users, with the audit log */
    public ScramLogins(Clock clock, AccessControl access, LoginTokens tokens) {
        this(clock, access, tokens, () -> ScramMessages.encode(SecureBytes.next(NONCE_BYTES)));
    }

    /** @param nonces source of the server's part of nonces */
    ScramLogins(Clock clock, AccessControl access, LoginTokens tokens, Supplier<String> nonces) {
        this.access = access;
        this.nonces = nonces;
        this.tokens = tokens;
        this.pending = new PendingLogins(clock);
        this.failures = new FailedLogins(clock);
    }

    @Override
    public LoginProto.LoginFirstReply first(String address, LoginProto.LoginFirst call) {
        ClientFirst first = ClientFirst.parse(call.getMessage());
        UserCredentials users = access.users().orElseThrow(AccessControl::usersUnknown);
        checkFailures(first.user(), address);
        Optional<UserCredential> known = users.find(first.user());
        UserCredential credential = known.orElseGet(() -> unknown(users, first.user()));
        String nonce = first.nonce() + nonces.get();
        String reply = "r=" + nonce + ",s="
                + ScramMessages.encode(credential.salt().toArray()) + ",i=" + credential.iterations();
        Bytes number = pending.add(
                address, new Pending(credential, known.isPresent(), first.header(), first.bare(), reply, nonce));
        return LoginProto.LoginFirstReply.newBuilder()
                .setLogin(BytesMapping.toProto(number))
                .setMessage(reply)
                .build();
    }

    /** A credential that no password has, the same for the same name. */
    private UserCredential unknown(UserCredentials users, String user) {
        byte[] key = users.saltKey().size() == 0 ? ownSaltKey : users.saltKey().toArray();
        return new UserCredential(
                user,
                Bytes.wrap(Arrays.copyOf(ScramSha256.hmac(key, "salt " + user), Limits.PASSWORD_SALT_BYTES)),
                Limits.PASSWORD_ITERATIONS_DEFAULT,
                Bytes.wrap(ScramSha256.hmac(key, "stored " + user)),
                Bytes.wrap(ScramSha256.hmac(key, "server " + user)));
    }

    private void checkFailures(String user, String address) {
        try {
            failures.check(user, PendingLogins.host(address));
        } catch (UniserveException refused) {
            access.audit().passwordRefused(principal(user), address, refused.reason());
            throw refused;
        }
    }

    @Override
    public LoginProto.LoginFinalReply finish(String address, LoginProto.LoginFinal call) {
        ClientFinal message = ClientFinal.parse(call.getMessage());
        ByteString number = call.getLogin();
        Pending login = pending.take(address, BytesMapping.fromProto("login", number, NUMBER_BYTES_MAX));
        if (login == null) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "the login is not under way on this connection, or took longer than " + Limits.LOGIN_PENDING_MS_MAX
                            + " ms: begin it again");
        }
        String user = login.credential().user();
        checkFailures(user, address);
        UserCredentials users = access.users().orElseThrow(AccessControl::usersUnknown);
        String auth = ScramMessages.authMessage(login.clientFirstBare(), login.serverFirst(), message.withoutProof());
        boolean proved = proves(login.credential(), auth, message.proof());
        boolean sameLogin = message.nonce().equals(login.nonce())
                && message.binding().equals(ScramMessages.encode(login.header().getBytes(StandardCharsets.UTF_8)));
        boolean present = login.known() && users.find(user).equals(Optional.of(login.credential()));
        if (!(proved && sameLogin && present)) {
            failures.failed(user, PendingLogins.host(address));
            access.audit().passwordRefused(principal(user), address, "user or password is wrong");
            throw new UniserveException(ErrorCode.UNAUTHORIZED, "user or password is wrong");
        }
        failures.succeeded(user, PendingLogins.host(address));
        access.audit().passwordLogin(principal(user), address);
        return LoginProto.LoginFinalReply.newBuilder()
                .setMessage("v="
                        + ScramMessages.encode(
                                ScramSha256.hmac(login.credential().serverKey().toArray(), auth)))
                .setToken(tokens.issue(login.credential()))
                .setValidMillis(Limits.LOGIN_TOKEN_MS)
                .build();
    }

    private static boolean proves(UserCredential credential, String auth, byte[] proof) {
        byte[] storedKey = credential.storedKey().toArray();
        byte[] clientKey = ScramSha256.xor(proof, ScramSha256.hmac(storedKey, auth));
        return MessageDigest.isEqual(ScramSha256.hash(clientKey), storedKey);
    }

    private static String principal(String user) {
        return Kind.USER.name().toLowerCase(Locale.ROOT) + "/" + user;
    }
}
