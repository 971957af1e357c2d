package io.uniserve.runtime.transport.login;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.time.SecureBytes;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Logins between their first and their final message. Each ends with its final message, or after its time. Beyond the limit of all, the
 * oldest one is dropped; beyond the limit of one host, the new one is refused. Thread-safe.
 */
final class PendingLogins {
    private static final int NUMBER_BYTES = 16;
    private static final long KEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(Limits.LOGIN_PENDING_MS_MAX);

    private final Clock clock;
    /** Oldest first. Guarded by this. */
    private final Map<Bytes, Entry> logins = new LinkedHashMap<>();
    /** Logins per host. Guarded by this. */
    private final Map<String, Integer> perHost = new HashMap<>();

    /**
     * A login.
     *
     * @param known false for a user without a password: the login fails whatever its proof is
     * @param header header of channel binding in the first message
     */
    record Pending(
            UserCredential credential,
            boolean known,
            String header,
            String clientFirstBare,
            String serverFirst,
            String nonce) {}

    private record Entry(String address, Pending login, long endNanos) {}

    PendingLogins(Clock clock) {
        this.clock = clock;
    }

    /** Keeps a login and returns its number. Fails with RESOURCE_EXHAUSTED if too many of its host are pending. */
    synchronized Bytes add(String address, Pending login) {
        dropOld();
        String host = host(address);
        if (perHost.getOrDefault(host, 0) >= Limits.LOGINS_PENDING_PER_ADDRESS_MAX) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    Limits.LOGINS_PENDING_PER_ADDRESS_MAX + " logins of this address are under way: try again later");
        }
        if (logins.size() >= Limits.LOGINS_PENDING_MAX) {
            drop(logins.keySet().iterator().next());
        }
        Bytes key = Bytes.wrap(SecureBytes.next(NUMBER_BYTES));
        logins.put(key, new Entry(address, login, clock.nanos() + KEPT_NANOS));
        perHost.merge(host, 1, Integer::sum);
        return key;
    }

    /** Takes a login of this connection; null if there is none, or its time is over. A login can be taken once. */
    synchronized @Nullable Pending take(String address, Bytes number) {
        dropOld();
        Entry entry = logins.get(number);
        if (entry == null || !entry.address.equals(address)) {
            return null;
        }
        drop(number);
        return entry.login;
    }

    synchronized int size() {
        return logins.size();
    }

    private void dropOld() {
        long now = clock.nanos();
        Iterator<Map.Entry<Bytes, Entry>> oldest = logins.entrySet().iterator();
        while (oldest.hasNext()) {
            Entry entry = oldest.next().getValue();
            if (now - entry.endNanos < 0) {
                return;
            }
            oldest.remove();
            release(entry);
        }
    }

    private void drop(Bytes number) {
        Entry dropped = logins.remove(number);
        if (dropped != null) {
            release(dropped);
        }
    }

    private void release(Entry entry) {
        perHost.computeIfPresent(host(entry.address), (host, count) -> count == 1 ? null : count - 1);
    }

    /** The address without its TCP port. */
    static String host(String address) {
        int colon = address.lastIndexOf(':');
        return colon < 0 ? address : address.substring(0, colon);
    }
}
