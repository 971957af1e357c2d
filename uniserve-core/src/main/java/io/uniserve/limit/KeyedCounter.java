package io.uniserve.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Amounts in use by key, such as requests or bytes of each client. A key whose amount is 0 takes no memory. Thread-safe.
 *
 * <pre>{@code
 * if (running.add(client, 1) > max) {
 *     running.subtract(client, 1);
 * }
 * }</pre>
 */
public final class KeyedCounter {
    private final Map<String, Long> amounts = new ConcurrentHashMap<>();

    /** Adds to the amount of a key, and returns the sum. */
    public long add(String key, long amount) {
        return amounts.merge(key, amount, Long::sum);
    }

    /** Subtracts what was added. */
    public void subtract(String key, long amount) {
        amounts.computeIfPresent(key, (name, had) -> had > amount ? had - amount : null);
    }

    /** Amount of a key. */
    public long get(String key) {
        return amounts.getOrDefault(key, 0L);
    }

    /** Number of keys with an amount. */
    int size() {
        return amounts.size();
    }
}
