package io.uniserve.runtime.transport.login;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Failed logins per address and user. After too many of them, logins of the user from that address are refused for a while. After failures
 * of too many users from an address, those of its other users are refused too, so a caller cannot push out a counter by invented names.
 * Users that exist and others are counted alike. Thread-safe.
 */
final class FailedLogins {
    private static final long REFUSED_NANOS = TimeUnit.MILLISECONDS.toNanos(Limits.LOGIN_REFUSED_MS);
    private static final long REFUSED_SECONDS = TimeUnit.MILLISECONDS.toSeconds(Limits.LOGIN_REFUSED_MS);

    private final Clock clock;
    /** Failures by host and user, those of a host in order of the last failure, oldest first. Guarded by this. */
    private final Map<String, LinkedHashMap<String, Failures>> hosts = new HashMap<>();
    /** Number of pairs. Guarded by this. */
    private int size;

    private record Failures(int count, long lastNanos) {}

    FailedLogins(Clock clock) {
        this.clock = clock;
    }

    /** Fails with UNAUTHORIZED if the user's logins from this host are refused now. */
    synchronized void check(String user, String host) {
        dropOld(host);
        Map<String, Failures> users = hosts.getOrDefault(host, new LinkedHashMap<>());
        Failures failed = users.get(user);
        if (failed != null && failed.count >= Limits.LOGIN_FAILURES_MAX) {
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    "user " + user + " failed to log in " + failed.count + " times from this address: wait "
                            + REFUSED_SECONDS + " s, then try once");
        }
        if (failed == null && users.size() >= Limits.LOGIN_FAILED_USERS_PER_ADDRESS_MAX) {
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    users.size() + " users failed to log in from this address: wait " + REFUSED_SECONDS
                            + " s, then try once");
        }
    }

    synchronized void failed(String user, String host) {
        dropOld(host);
        Failures before = remove(user, host);
        if (size >= Limits.LOGIN_FAILURES_KEPT_MAX) {
            makeRoom();
        }
        LinkedHashMap<String, Failures> users = hosts.computeIfAbsent(host, one -> new LinkedHashMap<>());
        if (users.size() < Limits.LOGIN_FAILED_USERS_PER_ADDRESS_MAX) {
            users.put(user, new Failures(before == null ? 1 : before.count + 1, clock.nanos()));
            size++;
        } // otherwise the user is refused whatever its counter is
    }

    synchronized void succeeded(String user, String host) {
        Failures unused = remove(user, host);
    }

    synchronized int size() {
        return size;
    }

    private @Nullable Failures remove(String user, String host) {
        Map<String, Failures> users = hosts.get(host);
        if (users == null) {
            return null;
        }
        Failures removed = users.remove(user);
        size -= removed == null ? 0 : 1;
        if (users.isEmpty()) {
            hosts.remove(host);
        }
        return removed;
    }

    /** Drops the counters of a host that do not count any more. */
    private void dropOld(String host) {
        Map<String, Failures> users = hosts.get(host);
        if (users == null) {
            return;
        }
        Iterator<Failures> oldest = users.values().iterator();
        while (oldest.hasNext() && clock.nanos() - oldest.next().lastNanos >= REFUSED_NANOS) {
            oldest.remove();
            size--;
        }
        if (users.isEmpty()) {
            hosts.remove(host);
        }
    }

    /** Drops all old counters; without any, the oldest one of a host with the most. */
    private void makeRoom() {
        for (String host : hosts.keySet().toArray(String[]::new)) {
            dropOld(host);
        }
        if (size < Limits.LOGIN_FAILURES_KEPT_MAX) {
            return;
        }
        long now = clock.nanos();
        String host = hosts.entrySet().stream()
                .max(Comparator.<Map.Entry<String, LinkedHashMap<String, Failures>>>comparingInt(
                                one -> one.getValue().size())
                        .thenComparingLong(
                                one -> now - one.getValue().values().iterator().next().lastNanos))
                .orElseThrow()
                .getKey();
        String user = hosts.getOrDefault(host, new LinkedHashMap<>())
                .keySet()
                .iterator()
                .next();
        Failures unused = remove(user, host);
    }
}
