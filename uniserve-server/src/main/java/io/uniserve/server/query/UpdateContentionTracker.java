package io.uniserve.server.query;

import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Set of tables with frequent updates. If an update came between the rounds of a query, later queries of several rounds hold their
 * states from the start. Thread-safe.
 */
final class UpdateContentionTracker {
    /** Time for which a table stays in the set, in nanoseconds. Afterwards one query tests it again. */
    static final long ENTRY_NANOS = 500_000_000;

    private final Clock clock;
    private final Map<TableName, Long> expiryNanos = new ConcurrentHashMap<>();

    UpdateContentionTracker(Clock clock) {
        this.clock = clock;
    }

    /** Records that an update came between the rounds of a query of this table. */
    void record(TableName table) {
        long now = clock.nanos();
        if (expiryNanos.size() >= Limits.TABLES_MAX) {
            expiryNanos.values().removeIf(end -> now - end >= 0); // dropped tables too
        }
        expiryNanos.put(table, now + ENTRY_NANOS);
    }

    boolean contains(TableName table) {
        Long end = expiryNanos.get(table);
        return end != null && clock.nanos() - end < 0;
    }
}
