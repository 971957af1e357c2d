package io.uniserve.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Amounts in use by key, such as requests or bytes of each client. A key whose amount is 0 takes no memory. Thread-safe;
 * threads that count the same key do not wait for each other while its amount is not 0.
 *
 * <pre>{@code
 * if (running.add(client, 1) > max) {
 *     running.subtract(client, 1);
 * }
 * }</pre>
 */
public final class KeyedCounter {
    /** Mark of a removed amount: {@link #add} replaces it by another one. */
    private static final long REMOVED = Long.MIN_VALUE;

    private final Map<String, AtomicLong> amounts = new ConcurrentHashMap<>();

    /** Adds to the amount of a key, and returns the sum. */
    public long add(String key, long amount) {
        while (true) {
            AtomicLong known = amounts.get(key);
            AtomicLong cell = known == null ? amounts.computeIfAbsent(key, name -> new AtomicLong()) : known;
            long sum = cell.accumulateAndGet(amount, (had, more) -> had == REMOVED ? REMOVED : had + more);
            if (sum != REMOVED) {
                return sum;
            }
            amounts.remove(key, cell);
        }
    }

    /** Subtracts what was added. */
    public void subtract(String key, long amount) {
        AtomicLong cell = amounts.get(key);
        if (cell != null) {
            cell.accumulateAndGet(amount, (had, less) -> had == REMOVED ? REMOVED : Math.max(0, had - less));
            if (cell.compareAndSet(0, REMOVED)) {
                amounts.remove(key, cell);
            }
        }
    }

    /** Amount of a key. */
    public long get(String key) {
        AtomicLong cell = amounts.get(key);
        return cell == null ? 0 : Math.max(0, cell.get());
    }

    /** Number of keys with an amount. */
    int size() {
        return amounts.size();
    }
}
