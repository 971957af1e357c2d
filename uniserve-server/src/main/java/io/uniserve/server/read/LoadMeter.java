package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** CPU time and number of queries of each replica since the server began. Safe for use by several threads. */
public final class LoadMeter {
    private final ConcurrentHashMap<ReplicaKey, Counters> counters = new ConcurrentHashMap<>();

    private record Counters(LongAdder costNanos, LongAdder queries) {}

    /** What a replica has cost so far. */
    public record Total(long costNanos, long queries) {}

    void add(ReplicaKey key, long costNanos) {
        Counters known = counters.get(key);
        if (known == null) {
            known = counters.computeIfAbsent(key, unused -> new Counters(new LongAdder(), new LongAdder()));
        }
        known.costNanos.add(costNanos);
        known.queries.increment();
    }

    /** All totals, sorted. */
    public Map<ReplicaKey, Total> totals() {
        Map<ReplicaKey, Total> totals = new TreeMap<>();
        counters.forEach((key, known) -> totals.put(key, new Total(known.costNanos.sum(), known.queries.sum())));
        return totals;
    }

    /** Forgets a replica that left the server. */
    public void forget(ReplicaKey key) {
        counters.remove(key);
    }
}
