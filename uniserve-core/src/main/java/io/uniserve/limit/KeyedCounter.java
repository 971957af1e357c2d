package io.uniserve.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Amounts in use by key, such as requests or bytes of each client. Above 1,000 keys, those whose amount is 0 are removed. Thread-safe;
 * threads that count the same key do not wait for each other.
 *
 * <pre>{@code
 * if (running.add(client, 1) > max) {
 *     running.subtract(client, 1);
 * }
 * }</pre>
 */
public final class KeyedCounter {
    /** Number of keys above which those with amount 0 are removed. */
    static final int KEYS_BEFORE_CLEANING = 1_000;

    /** Mark of a removed amount: {@link #add} replaces it by another one. */
    private static final long REMOVED = Long.MIN_VALUE;

    private final Map<String, AtomicLong> amounts = new ConcurrentHashMap<>();
    /** Number of keys at which the next cleaning is due: twice those that were left by the last. */
    private volatile int cleaningSize = KEYS_BEFORE_CLEANING;

    /** Adds to the amount of a key, and returns the sum. */
    public long add(String key, long amount) {
        while (true) {
            AtomicLong cell = amounts.get(key);
            if (cell == null) {
                removeZeros();
                cell = amounts.computeIfAbsent(key, name -> new AtomicLong());
            }
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
        }
    }

    /** Amount of a key. */
    public long get(String key) {
        AtomicLong cell = amounts.get(key);
        return cell == null ? 0 : Math.max(0, cell.get());
    }

    private void removeZeros() {
        if (amounts.size() >= cleaningSize) {
            amounts.values().removeIf(cell -> cell.compareAndSet(0, REMOVED));
            cleaningSize = Math.max(KEYS_BEFORE_CLEANING, 2 * amounts.size());
        }
    }

    /** Number of keys that take memory. */
    int size() {
        return amounts.size();
    }
}
