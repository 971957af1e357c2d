package io.uniserve.server.query;

import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which tables are being updated so much that a query of several rounds had better have its states held from the start:
 * those where an update lately came between a query's rounds. Safe for use by several threads.
 */
final class UpdateContention {
    /** So long is a table taken for restless; then one query finds out anew. */
    static final long NANOS = 500_000_000;

    private final Clock clock;
    private final Map<TableName, Long> until = new ConcurrentHashMap<>();

    UpdateContention(Clock clock) {
        this.clock = clock;
    }

    /** An update came between the rounds of a query of the table. */
    void noted(TableName table) {
        long now = clock.nanos();
        if (until.size() >= Limits.TABLES_MAX) {
            until.values().removeIf(end -> now - end >= 0); // of dropped tables, among others
        }
        until.put(table, now + NANOS);
    }

    boolean in(TableName table) {
        Long end = until.get(table);
        return end != null && clock.nanos() - end < 0;
    }
}
