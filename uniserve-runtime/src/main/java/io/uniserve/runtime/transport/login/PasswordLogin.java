package io.uniserve.runtime.transport.login;

import io.grpc.ClientInterceptor;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.security.UserPassword;
import io.uniserve.runtime.time.SecureBytes;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.login.ScramExchange.Keys;
import io.uniserve.runtime.transport.login.ScramMessages.ServerFirst;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Logins of one client with user and password, one per connection. It salts the password once for all of them, on a thread of its own, and
 * pauses after a refusal, so that no server sees more than a few wrong passwords. Thread-safe.
 */
public final class PasswordLogin implements AutoCloseable {
    private static final int NONCE_BYTES = 18;
    private static final int KEYS_KEPT_MAX = 8;
    private static final long THREAD_KEPT_SECONDS = 10;

    private final Clock clock;
    private final UserPassword user;
    private final Supplier<String> cluster;
    private final ThreadPoolExecutor executor;
    /** Guarded by this. */
    private final Map<Salt, Keys> keys = new LinkedHashMap<>();

    private @Nullable UniserveException refusal;
    private long refusedUntilNanos;
    private long pauseMillis = Limits.LOGIN_RETRY_MS_MIN;

    private record Salt(Bytes salt, int iterations) {}

    private PasswordLogin(Clock clock, UserPassword user, Supplier<String> cluster) {
        this.clock = clock;
        this.user = user;
        this.cluster = cluster;
        executor = new ThreadPoolExecutor(
                1, 1, THREAD_KEPT_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "uniserve-login");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * Logins of the user.
     *
     * @param cluster name of the cluster, empty while unknown
     * @throws UniserveException INVALID_CONFIGURATION for plain text, and if the client has a certificate too
     */
    public static PasswordLogin of(Clock clock, TlsFiles tls, UserPassword user, Supplier<String> cluster) {
        if (!tls.enabled()) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "a password needs TLS: set tls.enabled = true and tls.trust-file, or --tls-trust FILE");
        }
        if (tls.certificate().isPresent()) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "both a certificate and user " + user.user()
                            + " with a password are given: use one of them, tls.certificate-file or client.user");
        }
        return new PasswordLogin(clock, user, cluster);
    }

    /** Interceptor for one connection: it logs in before the first call, and adds the token to each. */
    public ClientInterceptor newChannel() {
        return new ChannelLogin(clock, this);
    }

    String cluster() {
        return cluster.get();
    }

    ScramExchange newExchange() {
        return new ScramExchange(user.user(), ScramMessages.encode(SecureBytes.next(NONCE_BYTES)));
    }

    /** Executor of work that takes long, one task at a time. */
    Executor executor() {
        return executor;
    }

    /** Keys of the password with this salt. Call on the executor: the first time it computes long. */
    Keys keys(ServerFirst first) {
        Salt salt = new Salt(Bytes.wrap(first.salt()), first.iterations());
        synchronized (this) {
            Keys known = keys.get(salt);
            if (known != null) {
                return known;
            }
        }
        Keys computed = Keys.of(user.salted(first.salt(), first.iterations()));
        synchronized (this) {
            if (keys.size() >= KEYS_KEPT_MAX) {
                Iterator<Salt> oldest = keys.keySet().iterator();
                oldest.next();
                oldest.remove();
            }
            keys.put(salt, computed);
        }
        return computed;
    }

    /** The last refusal, if it is too recent to try again. */
    synchronized Optional<UniserveException> refusal() {
        return clock.nanos() - refusedUntilNanos < 0 ? Optional.ofNullable(refusal) : Optional.empty();
    }

    synchronized void onSuccess() {
        refusal = null;
        pauseMillis = Limits.LOGIN_RETRY_MS_MIN;
    }

    /** Returns the failure with the user's name. A wrong password is not tried again at once, at any server. */
    synchronized UniserveException onFailure(UniserveException error) {
        String reason = error.code() == ErrorCode.UNSUPPORTED
                ? "this process has no logins: it is in mode open or of an older version; connect without a user"
                : error.reason();
        UniserveException failure =
                new UniserveException(error.code(), "login of user " + user.user() + ": " + reason, error);
        if (error.code() == ErrorCode.UNAUTHORIZED) {
            refusal = failure;
            refusedUntilNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
            pauseMillis = Math.min(Limits.LOGIN_RETRY_MS_MAX, pauseMillis * 2);
        }
        return failure;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
