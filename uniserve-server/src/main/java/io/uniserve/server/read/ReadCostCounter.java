package io.uniserve.server.read;

import io.uniserve.model.ReplicaKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Cost of queries per replica since the start of the process. Thread-safe. */
public final class ReadCostCounter {
    private final Map<ReplicaKey, Cost> costs = new ConcurrentHashMap<>();

    /**
     * Totals of one replica: CPU nanoseconds, operator calls, rows that were reported as scanned, and calls without such a report.
     */
    public record Total(long costNanos, long calls, long rowsScanned, long unreported) {
        /** Totals before the first query. */
        public static final Total ZERO = new Total(0, 0, 0, 0);
    }

    /** Records a call with its cost, without a number of scanned rows. */
    public void add(ReplicaKey key, long nanos) {
        add(key, nanos, -1);
    }

    /**
     * Records a call with its cost.
     *
     * @param rows rows scanned; -1 if the operator has not reported them
     */
    public void add(ReplicaKey key, long nanos, long rows) {
        Cost cost = costs.get(key);
        if (cost == null) {
            cost = costs.computeIfAbsent(key, k -> new Cost());
        }
        cost.nanos.add(nanos);
        cost.calls.increment();
        if (rows < 0) {
            cost.unreported.increment();
        } else {
            cost.rows.add(rows);
        }
    }

    /** A replica's totals; zero before its first query. */
    public Total total(ReplicaKey key) {
        Cost cost = costs.get(key);
        return cost == null
                ? Total.ZERO
                : new Total(cost.nanos.sum(), cost.calls.sum(), cost.rows.sum(), cost.unreported.sum());
    }

    /** Removes a replica that is no longer on this server. */
    public void forget(ReplicaKey key) {
        costs.remove(key);
    }

    private static final class Cost {
        private final LongAdder nanos = new LongAdder();
        private final LongAdder calls = new LongAdder();
        private final LongAdder rows = new LongAdder();
        private final LongAdder unreported = new LongAdder();
    }
}
