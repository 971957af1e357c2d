package io.uniserve.runtime.transport.login;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Failed logins per user and address. After too many of them, logins of the user from that address are refused for a while. Thread-safe. */
final class FailedLogins {
    private static final long REFUSED_NANOS = TimeUnit.MILLISECONDS.toNanos(Limits.LOGIN_REFUSED_MS);

    private final Clock clock;
    /** In order of the last failure, oldest first. Guarded by this. */
    private final Map<Pair, Failures> failures = new LinkedHashMap<>();

    private record Pair(String user, String host) {}

    private record Failures(int count, long lastNanos) {}

    FailedLogins(Clock clock) {
        this.clock = clock;
    }

    /** Fails with UNAUTHORIZED if the user's logins from this host are refused now. */
    synchronized void check(String user, String host) {
        Failures failed = failures.get(new Pair(user, host));
        if (failed != null && isRecent(failed) && failed.count >= Limits.LOGIN_FAILURES_MAX) {
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    "user " + user + " failed to log in " + failed.count + " times from this address: wait "
                            + TimeUnit.MILLISECONDS.toSeconds(Limits.LOGIN_REFUSED_MS) + " s, then try once");
        }
    }

    synchronized void failed(String user, String host) {
        Pair pair = new Pair(user, host);
        Failures before = failures.remove(pair);
        int count = before != null && isRecent(before) ? before.count + 1 : 1;
        if (failures.size() >= Limits.LOGIN_FAILURES_KEPT_MAX) {
            Iterator<Pair> oldest = failures.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        failures.put(pair, new Failures(count, clock.nanos()));
    }

    synchronized void succeeded(String user, String host) {
        failures.remove(new Pair(user, host));
    }

    synchronized int size() {
        return failures.size();
    }

    private boolean isRecent(Failures failed) {
        return clock.nanos() - failed.lastNanos < REFUSED_NANOS;
    }
}
