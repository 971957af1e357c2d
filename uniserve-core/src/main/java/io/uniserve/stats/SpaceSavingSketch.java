package io.uniserve.stats;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Space-saving sketch: the most frequent keys of a stream in bounded memory.
 *
 * <p>With n counters over a stream of total weight W, a key's count is never below its true weight. It is above it by at most its
 * {@link Entry#error}, which is at most W / n. A key of weight more than W / n is always among the entries. Not thread-safe.
 *
 * @param <K> keys with equals and hashCode
 */
public final class SpaceSavingSketch<K> {
    private static final class Counter<K> {
        final long id;
        K key;
        double count;
        double error;

        Counter(long id, K key) {
            this.id = id;
            this.key = key;
        }
    }

    /**
     * Key with its count.
     *
     * @param error upper bound of the excess of the count
     */
    public record Entry<K>(K key, double count, double error) {}

    private final int counters;
    private final Map<K, Counter<K>> byKey = new HashMap<>();
    private final TreeSet<Counter<K>> byCount =
            new TreeSet<>(Comparator.<Counter<K>>comparingDouble(c -> c.count).thenComparingLong(c -> c.id));
    private double total;

    /** Sketch with this many counters, at least one. */
    public SpaceSavingSketch(int counters) {
        this.counters = Math.max(1, counters);
    }

    /** Adds an occurrence of a key, with its weight. */
    public void add(K key, double weight) {
        total += weight;
        Counter<K> counter = byKey.get(key);
        if (counter == null && byKey.size() < counters) {
            counter = new Counter<>(byKey.size(), key);
            byKey.put(key, counter);
        } else if (counter == null) {
            counter = byCount.first();
            byCount.remove(counter);
            byKey.remove(counter.key);
            counter.key = key;
            counter.error = counter.count;
            byKey.put(key, counter);
        } else {
            byCount.remove(counter);
        }
        counter.count += weight;
        byCount.add(counter);
    }

    /** Halves all counts, errors and the total, so that older occurrences weigh less. The bounds hold for the halved weights. */
    public void halve() {
        // A power of two: the order of the counters does not change.
        for (Counter<K> counter : byCount) {
            counter.count *= 0.5;
            counter.error *= 0.5;
        }
        total *= 0.5;
    }

    /** Weight of all occurrences. */
    public double total() {
        return total;
    }

    /** The entries with the largest counts, largest first. */
    public List<Entry<K>> top(int most) {
        List<Entry<K>> entries = new ArrayList<>();
        for (Counter<K> counter : byCount.descendingSet()) {
            if (entries.size() == most) {
                break;
            }
            entries.add(new Entry<>(counter.key, counter.count, counter.error));
        }
        return entries;
    }
}
