package io.uniserve.sql.plan;

import io.uniserve.model.registry.TableMeta;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Cache of row counts per condition. Counts may be stale: they are good enough to choose a plan, but no reason to refuse a query.
 * Thread-safe.
 */
public final class CardinalityCache {
    /** Older entries are counted again, because tables grow. */
    public static final long FRESH_NANOS = 60_000_000_000L;

    private static final int KEPT_MAX = 4_096;

    /** A pair of tables counts as not co-located after this many failures: a single one may be a replica that is moving. */
    private static final int NOT_COLOCATED_MIN = 2;

    /** Key prefix of co-location failures; no statement starts with it. */
    private static final String COLOCATION_KEY = "beside ";

    /** Key of lookups with missing rows; no statement equals it. */
    private static final String MISSING_ROWS_KEY = "missing";

    private static final int MISSING_DOUBLED_MAX = 10;

    /** Longer statements, with lists of constants, are not cached. */
    private static final int STATEMENT_CHARS_MAX = 2_048;

    private final Map<Key, Counted> counts = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Counted> eldest) {
            return size() > KEPT_MAX;
        }
    };

    private record Key(TableMeta table, String statement) {}

    private record Counted(long rows, long countedNanos) {}

    /** Returns the count of a statement; empty if there is none or it is too old. */
    public synchronized OptionalLong count(TableMeta table, String statement, long nanos) {
        Counted last = counts.get(new Key(table, statement));
        return last == null || nanos - last.countedNanos > FRESH_NANOS
                ? OptionalLong.empty()
                : OptionalLong.of(last.rows);
    }

    /** True if actors of two tables were recently not co-located, at least twice. */
    boolean isNotColocated(TableMeta one, TableMeta other, long nanos) {
        return count(one, COLOCATION_KEY + other.tableId(), nanos).orElse(0) >= NOT_COLOCATED_MIN;
    }

    public void recordNotColocated(TableMeta one, TableMeta other, long nanos) {
        String key = COLOCATION_KEY + other.tableId();
        record(one, key, count(one, key, nanos).orElse(0) + 1, nanos);
    }

    public void recordColocated(TableMeta one, TableMeta other, long nanos) {
        String key = COLOCATION_KEY + other.tableId();
        if (count(one, key, nanos).isPresent()) {
            record(one, key, 0, nanos);
        }
    }

    /**
     * True if a lookup in this table recently found no row for some key. The answer is true for a minute, and twice as long after each
     * further miss.
     */
    public synchronized boolean hasMissingRows(TableMeta table, long nanos) {
        Counted last = counts.get(new Key(table, MISSING_ROWS_KEY));
        return last != null && nanos - last.countedNanos <= FRESH_NANOS << Math.min(last.rows - 1, MISSING_DOUBLED_MAX);
    }

    public synchronized void recordMissing(TableMeta table, long nanos) {
        Counted last = counts.get(new Key(table, MISSING_ROWS_KEY));
        record(table, MISSING_ROWS_KEY, last == null ? 1 : last.rows + 1, nanos);
    }

    public synchronized void recordPresent(TableMeta table) {
        counts.remove(new Key(table, MISSING_ROWS_KEY));
    }

    public synchronized void record(TableMeta table, String statement, long rows, long nanos) {
        if (statement.length() <= STATEMENT_CHARS_MAX) {
            counts.put(new Key(table, statement), new Counted(rows, nanos));
        }
    }
}
