package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What queries have cost per replica since the process started. Safe for use by several threads. */
public final class ReadCosts {
    private final Map<ReplicaKey, Cost> costs = new ConcurrentHashMap<>();

    /** Totals: nanoseconds of CPU and operator calls. */
    public record Total(long costNanos, long calls) {}

    /** A call that cost so much. */
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

    /** Forgets a replica that has gone. */
    public void forget(ReplicaKey key) {
        costs.remove(key);
    }

    private static final class Cost {
        private final LongAdder nanos = new LongAdder();
        private final LongAdder calls = new LongAdder();
    }
}
