package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Cost of queries per replica since the start of the process. Thread-safe. */
public final class ReadCostCounter {
    private final Map<ReplicaKey, Cost> costs = new ConcurrentHashMap<>();

    /** Totals of one replica: CPU nanoseconds and operator calls. */
    public record Total(long costNanos, long calls) {}

    /** Records a call with its cost. */
    public void add(ReplicaKey key, long nanos) {
        Cost cost = costs.get(key);
        if (cost == null) {
            cost = costs.computeIfAbsent(key, k -> new Cost());
        }
        cost.nanos.add(nanos);
        cost.calls.increment();
    }

    /** A replica's totals; zero before its first query. */
    public Total total(ReplicaKey key) {
        Cost cost = costs.get(key);
        return cost == null ? new Total(0, 0) : new Total(cost.nanos.sum(), cost.calls.sum());
    }

    /** Removes a replica that is no longer on this server. */
    public void forget(ReplicaKey key) {
        costs.remove(key);
    }

    private static final class Cost {
        private final LongAdder nanos = new LongAdder();
        private final LongAdder calls = new LongAdder();
    }
}
