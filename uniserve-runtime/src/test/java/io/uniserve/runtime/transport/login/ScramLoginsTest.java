package io.uniserve.runtime.transport.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.ongres.scram.client.ScramClient;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import io.uniserve.model.registry.UserCredentials;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.proto.LoginProto;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.Passwords;
import io.uniserve.runtime.security.ScramSha256;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AuditRecorder;
import io.uniserve.runtime.transport.login.ScramExchange.Keys;
import io.uniserve.runtime.transport.login.ScramMessages.ServerFirst;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server's side of logins and its tokens, without threads and connections. */
class ScramLoginsTest {
    private static final int ITERATIONS = 4_096;
    private static final String HERE = "/10.0.0.1:4000";
    private static final String WRONG = "user or password is wrong";
    private static final Bytes SALT_KEY = Bytes.wrap(new byte[Limits.PASSWORD_KEY_BYTES]);

    private final TestingClock clock = new TestingClock();
    private final AccessControl access = AccessControl.of(new SecuritySettings(true, Set.of()), AuditRecorder.NONE);
    private final LoginTokens tokens = new LoginTokens(clock, access, "main");
    private final ScramLogins logins = new ScramLogins(clock, access, tokens);
    private int nonces;

    private void users(UserCredential... users) {
        access.setUsers(Optional.of(new UserCredentials(SALT_KEY, List.of(users))));
    }

    private static UserCredential credential(String user, String password) {
        return Passwords.newCredential(user, password.toCharArray(), ITERATIONS);
    }

    private LoginProto.LoginFirstReply first(String address, String message) {
        return logins.first(
                address, LoginProto.LoginFirst.newBuilder().setMessage(message).build());
    }

    private LoginProto.LoginFinalReply finish(String address, ByteString number, String message) {
        return logins.finish(
                address,
                LoginProto.LoginFinal.newBuilder()
                        .setLogin(number)
                        .setMessage(message)
                        .build());
    }

    /** A login between its two messages. */
    private final class Login {
        private final ScramExchange exchange;
        private final LoginProto.LoginFirstReply reply;
        private final String message;

        private Login(String user, String password) {
            exchange = new ScramExchange(user, "nonce" + nonces++);
            reply = first(HERE, exchange.clientFirst());
            ServerFirst first = exchange.serverFirst(reply.getMessage());
            message = exchange.clientFinal(
                    reply.getMessage(),
                    first,
                    Keys.of(new UserPassword(user, password.toCharArray()).salted(first.salt(), first.iterations())));
        }

        private LoginProto.LoginFinalReply send() {
            return finish(HERE, reply.getLogin(), message);
        }
    }

    private LoginTokens.Login verified(String token) {
        return tokens.verify(token).orElseThrow();
    }

    private static void refused(ErrorCode code, String text, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(text);
    }

    @Test
    void aLoginProvesBothSidesAndGivesAToken() {
        users(credential("ann", "p\u00E4ssword"), credential("bob", "password2"));
        Login login = new Login("ann", "pa\u0308ssword");
        LoginProto.LoginFinalReply reply = login.send();
        login.exchange.verify(reply.getMessage());
        assertThat(reply.getValidMillis()).isEqualTo(Limits.LOGIN_TOKEN_MS);
        assertThat(verified(reply.getToken()).identity())
                .isEqualTo(new CertifiedIdentity("main", CertifiedIdentity.Kind.USER, "ann"));
    }

    /** RFC 7677, section 3. */
    @Test
    void theExampleOfTheStandardIsAnsweredAsThere() {
        byte[] salt = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        byte[] salted = ScramSha256.saltedPassword("pencil".toCharArray(), salt, ITERATIONS);
        users(ScramSha256.credential("user", salted, salt, ITERATIONS));
        ScramLogins example = new ScramLogins(clock, access, tokens, () -> "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0");
        ScramExchange exchange = new ScramExchange("user", "rOprNGfwEbeRWgbNEkqO");
        assertThat(exchange.clientFirst()).isEqualTo("n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        LoginProto.LoginFirstReply reply = example.first(
                HERE,
                LoginProto.LoginFirst.newBuilder()
                        .setMessage(exchange.clientFirst())
                        .build());
        assertThat(reply.getMessage())
                .isEqualTo("r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
        String last =
                exchange.clientFinal(reply.getMessage(), exchange.serverFirst(reply.getMessage()), Keys.of(salted));
        assertThat(last)
                .isEqualTo("c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                        + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        String end = example.finish(
                        HERE,
                        LoginProto.LoginFinal.newBuilder()
                                .setLogin(reply.getLogin())
                                .setMessage(last)
                                .build())
                .getMessage();
        assertThat(end).isEqualTo("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
        exchange.verify(end);
    }

    @Test
    void anotherClientOfTheStandardLogsIn() throws Exception {
        users(credential("ann", "p\u00E4ss\u2168word"));
        ScramClient client = ScramClient.builder()
                .advertisedMechanisms(List.of("SCRAM-SHA-256"))
                .username("ann")
                .password("pa\u0308ssIXword".toCharArray())
                .build();
        LoginProto.LoginFirstReply reply =
                first(HERE, client.clientFirstMessage().toString());
        client.serverFirstMessage(reply.getMessage());
        LoginProto.LoginFinalReply end =
                finish(HERE, reply.getLogin(), client.clientFinalMessage().toString());
        client.serverFinalMessage(end.getMessage());
        assertThat(verified(end.getToken()).identity().name()).isEqualTo("ann");
    }

    @Test
    void aWrongPasswordAndAnUnknownUserFailInTheSameStepWithTheSameError() {
        users(credential("ann", "password"));
        refused(ErrorCode.UNAUTHORIZED, WRONG, () -> new Login("ann", "passwore").send());
        refused(ErrorCode.UNAUTHORIZED, WRONG, () -> new Login("eve", "password").send());
        assertThat(new Login("ann", "password").send().getToken()).isNotEmpty();
    }

    @Test
    void theSaltOfAnUnknownUserIsTheSameAtEveryProcessAndLooksLikeAnother() {
        users(Passwords.newCredential("ann", "password".toCharArray(), Limits.PASSWORD_ITERATIONS_DEFAULT));
        ServerFirst eve = ServerFirst.parse(first(HERE, "n,,n=eve,r=a").getMessage());
        AccessControl other = AccessControl.of(new SecuritySettings(true, Set.of()), AuditRecorder.NONE);
        other.setUsers(access.users());
        ServerFirst again = ServerFirst.parse(new ScramLogins(clock, other, tokens)
                .first(
                        "/h:1",
                        LoginProto.LoginFirst.newBuilder()
                                .setMessage("n,,n=eve,r=a")
                                .build())
                .getMessage());
        ServerFirst mallory = ServerFirst.parse(first(HERE, "n,,n=mallory,r=a").getMessage());
        ServerFirst ann = ServerFirst.parse(first(HERE, "n,,n=ann,r=a").getMessage());
        assertThat(eve.salt())
                .isEqualTo(again.salt())
                .isNotEqualTo(mallory.salt())
                .hasSameSizeAs(ann.salt());
        assertThat(eve.iterations()).isEqualTo(ann.iterations());
    }

    @Test
    void aFinalMessageIsTakenOnceAndOnlyOnItsConnection() {
        users(credential("ann", "password"));
        Login login = new Login("ann", "password");
        String unknown = "not under way on this connection";
        refused(ErrorCode.UNAVAILABLE, unknown, () -> finish("/10.0.0.1:4001", login.reply.getLogin(), login.message));
        refused(ErrorCode.UNAVAILABLE, unknown, () -> finish("/10.0.0.2:4000", login.reply.getLogin(), login.message));
        assertThat(login.send().getToken()).isNotEmpty();
        refused(ErrorCode.UNAVAILABLE, unknown, login::send);
        refused(ErrorCode.UNAVAILABLE, unknown, () -> finish(HERE, ByteString.EMPTY, login.message));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                "login has 17 bytes",
                () -> finish(HERE, ByteString.copyFrom(new byte[17]), login.message));
    }

    /** The proof is right, and of another exchange: the nonce, or the header of channel binding, differs. */
    @Test
    void aProofOfAnotherExchangeIsRefused() {
        users(credential("ann", "password"));
        Login one = new Login("ann", "password");
        Login other = new Login("ann", "password");
        refused(ErrorCode.UNAUTHORIZED, WRONG, () -> finish(HERE, other.reply.getLogin(), one.message));
        Login third = new Login("ann", "password");
        refused(
                ErrorCode.UNAUTHORIZED,
                WRONG,
                () -> finish(HERE, third.reply.getLogin(), third.message.replace("c=biws", "c=eSws")));
        Login fourth = new Login("ann", "password");
        refused(
                ErrorCode.UNAUTHORIZED,
                WRONG,
                () -> finish(HERE, fourth.reply.getLogin(), fourth.message.replace("r=nonce", "r=nonca")));
    }

    @Test
    void aUserThatIsRemovedOrChangedBetweenTheMessagesIsRefused() {
        UserCredential ann = credential("ann", "password");
        users(ann);
        Login login = new Login("ann", "password");
        users();
        refused(ErrorCode.UNAUTHORIZED, WRONG, login::send);
        users(ann);
        Login second = new Login("ann", "password");
        users(credential("ann", "password"));
        refused(ErrorCode.UNAUTHORIZED, WRONG, second::send);
        Login third = new Login("eve", "password");
        users(ann, credential("eve", "password"));
        refused(ErrorCode.UNAUTHORIZED, WRONG, third::send);
    }

    @Test
    void aLoginHasToEndInTime() {
        users(credential("ann", "password"));
        Login login = new Login("ann", "password");
        clock.passMillis(Limits.LOGIN_PENDING_MS_MAX);
        refused(ErrorCode.UNAVAILABLE, "begin it again", login::send);
        Login second = new Login("ann", "password");
        clock.passMillis(Limits.LOGIN_PENDING_MS_MAX - 1);
        assertThat(second.send().getToken()).isNotEmpty();
    }

    @Test
    void withoutTheUsersEveryLoginIsUnavailable() {
        refused(ErrorCode.UNAVAILABLE, "node /users", () -> first(HERE, "n,,n=ann,r=a"));
        users(credential("ann", "password"));
        Login login = new Login("ann", "password");
        String token = new Login("ann", "password").send().getToken();
        access.setUsers(Optional.empty());
        refused(ErrorCode.UNAVAILABLE, "node /users", login::send);
        refused(ErrorCode.UNAVAILABLE, "node /users", () -> tokens.verify(token));
    }

    @Test
    void repeatedFailuresOfOneUserFromOneHostAreRefusedForAWhile() {
        users(credential("ann", "password"), credential("bob", "password"));
        Login begun = new Login("ann", "password");
        for (int i = 0; i < Limits.LOGIN_FAILURES_MAX; i++) {
            refused(ErrorCode.UNAUTHORIZED, WRONG, () -> new Login("ann", "wrong").send());
        }
        refused(ErrorCode.UNAUTHORIZED, "failed to log in 10 times", () -> first("/10.0.0.1:9", "n,,n=ann,r=a"));
        refused(ErrorCode.UNAUTHORIZED, "failed to log in 10 times", begun::send);
        assertThat(first("/10.0.0.2:9", "n,,n=ann,r=a").getMessage()).isNotEmpty();
        assertThat(new Login("bob", "password").send().getToken()).isNotEmpty();
        clock.passMillis(Limits.LOGIN_REFUSED_MS - 1);
        refused(ErrorCode.UNAUTHORIZED, "failed to log in", () -> first(HERE, "n,,n=ann,r=a"));
        clock.passMillis(1);
        assertThat(new Login("ann", "password").send().getToken()).isNotEmpty();
        refused(ErrorCode.UNAUTHORIZED, WRONG, () -> new Login("ann", "wrong").send());
        assertThat(new Login("ann", "password").send().getToken()).isNotEmpty();
    }

    @Test
    void unknownUsersAreCountedLikeKnownOnes() {
        users(credential("ann", "password"));
        for (int i = 0; i < Limits.LOGIN_FAILURES_MAX; i++) {
            refused(ErrorCode.UNAUTHORIZED, WRONG, () -> new Login("eve", "wrong").send());
        }
        refused(ErrorCode.UNAUTHORIZED, "user eve failed to log in 10 times", () -> first(HERE, "n,,n=eve,r=a"));
    }

    @Test
    void loginsUnderWayAndFailuresAreBounded() {
        PendingLogins pending = new PendingLogins(clock);
        PendingLogins.Pending login = new PendingLogins.Pending(credential("ann", "password"), true, "n,,", "", "", "");
        Bytes first = pending.add("/a:1", login);
        for (int i = 1; i < Limits.LOGINS_PENDING_PER_ADDRESS_MAX; i++) {
            pending.add("/a:" + i, login);
        }
        refused(ErrorCode.RESOURCE_EXHAUSTED, "logins of this address", () -> pending.add("/a:0", login));
        assertThat(pending.take("/a:1", first)).isEqualTo(login);
        Bytes next = pending.add("/a:0", login);
        for (int i = 0; i < Limits.LOGINS_PENDING_MAX; i++) {
            pending.add("/b" + i + ":1", login);
        }
        assertThat(pending.size()).isEqualTo(Limits.LOGINS_PENDING_MAX);
        assertThat(pending.take("/a:0", next)).as("the oldest ones are dropped").isNull();
        clock.passMillis(Limits.LOGIN_PENDING_MS_MAX);
        pending.add("/a:1", login);
        assertThat(pending.size()).isEqualTo(1);

        FailedLogins failures = new FailedLogins(clock);
        for (int i = 0; i < Limits.LOGIN_FAILURES_KEPT_MAX + 100; i++) {
            failures.failed("u" + i, "/h" + i % 100);
        }
        assertThat(failures.size()).isEqualTo(Limits.LOGIN_FAILURES_KEPT_MAX);
        clock.passMillis(Limits.LOGIN_REFUSED_MS);
        failures.failed("u", "/h");
        assertThat(failures.size()).isEqualTo(1);
    }

    @Test
    void inventedNamesDoNotPushOutACounter() {
        FailedLogins failures = new FailedLogins(clock);
        for (int i = 0; i < Limits.LOGIN_FAILURES_MAX; i++) {
            failures.failed("ann", "/1");
        }
        for (int i = 0; i < 2 * Limits.LOGIN_FAILURES_KEPT_MAX; i++) {
            failures.failed("u" + i, "/1");
        }
        refused(ErrorCode.UNAUTHORIZED, "failed to log in 10 times", () -> failures.check("ann", "/1"));
        refused(ErrorCode.UNAUTHORIZED, "1000 users failed to log in", () -> failures.check("bob", "/1"));
        failures.check("bob", "/2");
        assertThat(failures.size()).isEqualTo(Limits.LOGIN_FAILED_USERS_PER_ADDRESS_MAX);
        for (int i = 0; i < Limits.LOGIN_FAILURES_MAX; i++) {
            failures.failed("bob", "/2");
        }
        for (int i = 0; i < 2 * Limits.LOGIN_FAILURES_KEPT_MAX; i++) {
            failures.failed("u" + i, "/h" + i % 20);
        }
        refused(ErrorCode.UNAUTHORIZED, "failed to log in 10 times", () -> failures.check("bob", "/2"));
        assertThat(failures.size()).isEqualTo(Limits.LOGIN_FAILURES_KEPT_MAX);
        clock.passMillis(Limits.LOGIN_REFUSED_MS);
        failures.check("ann", "/1");
        failures.check("eve", "/1");
    }

    @Test
    void aTokenEndsWithItsTimeAndWithThePassword() {
        UserCredential ann = credential("ann", "password");
        users(ann);
        String token = new Login("ann", "password").send().getToken();
        clock.passMillis(Limits.LOGIN_TOKEN_MS - 1);
        assertThat(verified(token).credential()).isEqualTo(ann);
        users(credential("ann", "password"));
        assertThat(tokens.verify(token)).isEmpty();
        users(ann, credential("bob", "password"));
        assertThat(tokens.verify(token)).isPresent();
        users();
        assertThat(tokens.verify(token)).isEmpty();
        users(ann);
        clock.passMillis(1);
        assertThat(tokens.verify(token)).isEmpty();
    }

    @Test
    void aTokenIsOfOneProcess() {
        users(credential("ann", "password"));
        String token = new Login("ann", "password").send().getToken();
        assertThat(new LoginTokens(clock, access, "main").verify(token)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void noOtherTokenIsAccepted(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        users(credential("ann", "password"), credential("anna", "password"));
        String token = new Login("ann", "password").send().getToken();
        byte[] bytes = Base64.getUrlDecoder().decode(token);
        for (int i = 0; i < 500; i++) {
            byte[] changed =
                    Arrays.copyOf(bytes, random.nextInt(3) == 0 ? random.nextInt(bytes.length * 2) : bytes.length);
            if (changed.length > 0) {
                changed[random.nextInt(changed.length)] ^= (byte) random.nextInt(1, 256);
            }
            if (!Arrays.equals(changed, bytes)) {
                assertThat(tokens.verify(Base64.getUrlEncoder().withoutPadding().encodeToString(changed)))
                        .isEmpty();
            }
        }
        for (String other : List.of("", " ", "=", "a", "\uD800", token + "a", token + "\u0000", "A".repeat(100_000))) {
            assertThat(tokens.verify(other)).as(other).isEmpty();
        }
        assertThat(tokens.verify(token)).isPresent();
    }

    @Test
    void manyTokensAreValidAndFewAreKept() {
        users(credential("ann", "password"));
        Set<String> issued = new HashSet<>();
        for (int i = 0; i < Limits.LOGIN_TOKENS_KEPT_MAX + 10; i++) {
            clock.passMillis(1);
            issued.add(tokens.issue(access.users().orElseThrow().users().get(0)));
        }
        assertThat(issued).hasSize(Limits.LOGIN_TOKENS_KEPT_MAX + 10).allSatisfy(token -> verified(token));
    }

    @Test
    void malformedMessagesAreRefusedWithTheirName() {
        users(credential("ann", "password"));
        for (String message : List.of(
                "",
                "n,,",
                "n=ann,r=a",
                "p=tls-unique,,n=ann,r=a",
                "n,a=bob,n=ann,r=a",
                "n,,m=x,n=ann,r=a",
                "n,,n=a=2Cb,r=a",
                "n,,n=ann,r=",
                "n,,n=ann,r=a,b",
                "n,,n=ann,r=a,x=b",
                "n,,n=ann,r=\u00E4",
                "n,,n=ann,r=a\n",
                "n,,n=" + "a".repeat(2_000_000) + ",r=a")) {
            refused(ErrorCode.INVALID_ARGUMENT, "client-first-message", () -> first(HERE, message));
        }
        for (String name : List.of("", " ann", "ann/", "-ann", "\u00E4nn", "a".repeat(65))) {
            refused(ErrorCode.INVALID_ARGUMENT, "name of a user", () -> first(HERE, "n,,n=" + name + ",r=a"));
        }
        ByteString number = first(HERE, "n,,n=ann,r=a").getLogin();
        for (String message : List.of(
                "", "c=biws,r=a", "c=biws,r=a,p=", "c=biws,r=a,p=?", "r=a,c=biws,p=AAAA", "c=biws,r=a,x=b,p=AAAA")) {
            refused(ErrorCode.INVALID_ARGUMENT, "client-final-message", () -> finish(HERE, number, message));
        }
        refused(
                ErrorCode.INVALID_ARGUMENT,
                "proof of a login has 3 bytes",
                () -> finish(HERE, number, "c=biws,r=a,p=AAAA"));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                "Base64",
                () -> finish(HERE, number, "c=biws,r=a,p=" + "A".repeat(42) + "B="));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void randomMessagesNeverLogIn(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        users(credential("ann", "password"));
        for (int i = 0; i < 100; i++) {
            clock.passMillis(Limits.LOGIN_REFUSED_MS); // so that failures do not add up
            Login login = new Login("ann", "password");
            StringBuilder text = new StringBuilder(login.message);
            for (int left = random.nextInt(1, 4); left > 0; left--) {
                text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(128));
            }
            if (!login.message.contentEquals(text)) {
                assertThatThrownBy(() -> finish(HERE, login.reply.getLogin(), text.toString()))
                        .isInstanceOf(UniserveException.class);
            }
        }
    }

    @Test
    void aClientRefusesAServerThatDoesNotKnowThePassword() {
        ScramExchange exchange = new ScramExchange("ann", "abc");
        refused(ErrorCode.UNAUTHORIZED, "nonce differs", () -> exchange.serverFirst("r=abd1,s=AAAA,i=4096"));
        refused(ErrorCode.UNAUTHORIZED, "nonce differs", () -> exchange.serverFirst("r=abc,s=AAAA,i=4096"));
        refused(ErrorCode.INVALID_ARGUMENT, "iterations", () -> exchange.serverFirst("r=abc1,s=AAAA,i=4095"));
        refused(ErrorCode.INVALID_ARGUMENT, "iterations", () -> exchange.serverFirst("r=abc1,s=AAAA,i=999999999"));
        refused(
                ErrorCode.INVALID_ARGUMENT,
                "server-first-message",
                () -> exchange.serverFirst("r=abc1,s=AAAA,i=99999999999"));
        refused(ErrorCode.UNAUTHORIZED, "does not know", () -> exchange.verify("v=AAAA"));
        ServerFirst first = exchange.serverFirst("r=abc1,s=AAAA,i=4096");
        exchange.clientFinal("r=abc1,s=AAAA,i=4096", first, Keys.of(new byte[32]));
        refused(ErrorCode.UNAUTHORIZED, "does not know", () -> exchange.verify("v=AAAA"));
        refused(ErrorCode.INVALID_ARGUMENT, "server-final-message", () -> exchange.verify("e=other-error"));
        assertThat(Keys.of(new byte[32])).hasToString("keys");
    }
}
