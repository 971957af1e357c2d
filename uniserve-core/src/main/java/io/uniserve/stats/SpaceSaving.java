package io.uniserve.stats;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The most frequent keys of a stream in bounded memory (space-saving). With n counters over a stream of total weight W, a key's
 * count is never below its true weight, and above it by at most its {@link Entry#error}, which is at most W / n; a key of
 * weight more than W / n is always among the entries. Not thread-safe.
 *
 * @param <K> keys with equals and hashCode
 */
public final class SpaceSaving<K> {
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
     * A key and its count.
     *
     * @param error by how much the count may be too high
     */
    public record Entry<K>(K key, double count, double error) {}

    private final int counters;
    private final Map<K, Counter<K>> byKey = new HashMap<>();
    private final TreeSet<Counter<K>> byCount =
            new TreeSet<>(Comparator.<Counter<K>>comparingDouble(c -> c.count).thenComparingLong(c -> c.id));
    private double total;

    /** Keeps so many counters, at least one. */
    public SpaceSaving(int counters) {
        this.counters = Math.max(1, counters);
    }

    /** Counts a key once more. */
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

    /** Halves all counts, errors and the total: what was before weighs less from now on. The bounds hold for the halved weights. */
    public void halve() {
        // A power of two: the order of the counters stays as it is.
        for (Counter<K> counter : byCount) {
            counter.count *= 0.5;
            counter.error *= 0.5;
        }
        total *= 0.5;
    }

    /** Weight of all that was added. */
    public double total() {
        return total;
    }

    /** The entries of largest count, that first. */
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
