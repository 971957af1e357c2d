package io.uniserve.sql;

import io.uniserve.model.TableMeta;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Cache of row counts per condition. Counts may be stale: they are good enough to choose a plan, but no reason to refuse a query.
 * Thread-safe.
 */
final class CardinalityCache {
    /** Older entries are counted again, because tables grow. */
    static final long FRESH_NANOS = 60_000_000_000L;

    private static final int KEPT_MAX = 4_096;

    /** A pair of tables counts as not co-located after this many failures: a single one may be a replica that is moving. */
    private static final int APART_MIN = 2;

    /** Key prefix of co-location failures; no statement starts with it. */
    private static final String BESIDE = "beside ";

    /** Key of lookups with missing rows; no statement equals it. */
    private static final String MISSING = "missing";

    private static final int MISSING_DOUBLED_MAX = 10;

    /** Longer statements, with lists of constants, are not cached. */
    private static final int STATEMENT_CHARS_MAX = 2_048;

    private final Map<Key, Counted> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Counted> eldest) {
            return size() > KEPT_MAX;
        }
    };

    private record Key(TableMeta table, String statement) {}

    private record Counted(long rows, long at) {}

    /** Returns the count of a statement; empty if there is none or it is too old. */
    synchronized OptionalLong of(TableMeta table, String statement, long nanos) {
        Counted last = known.get(new Key(table, statement));
        return last == null || nanos - last.at > FRESH_NANOS ? OptionalLong.empty() : OptionalLong.of(last.rows);
    }

    /** True if actors of two tables were not co-located at least twice lately. */
    boolean apart(TableMeta one, TableMeta other, long nanos) {
        return of(one, BESIDE + other.tableId(), nanos).orElse(0) >= APART_MIN;
    }

    void noteApart(TableMeta one, TableMeta other, long nanos) {
        String key = BESIDE + other.tableId();
        note(one, key, of(one, key, nanos).orElse(0) + 1, nanos);
    }

    void noteTogether(TableMeta one, TableMeta other, long nanos) {
        String key = BESIDE + other.tableId();
        if (of(one, key, nanos).isPresent()) {
            note(one, key, 0, nanos);
        }
    }

    /**
     * True if a lookup in this table lately found no row for some key. The answer is true for a minute, and twice as long after each
     * further miss.
     */
    synchronized boolean missing(TableMeta table, long nanos) {
        Counted last = known.get(new Key(table, MISSING));
        return last != null && nanos - last.at <= FRESH_NANOS << Math.min(last.rows - 1, MISSING_DOUBLED_MAX);
    }

    synchronized void noteMissing(TableMeta table, long nanos) {
        Counted last = known.get(new Key(table, MISSING));
        note(table, MISSING, last == null ? 1 : last.rows + 1, nanos);
    }

    synchronized void noteThere(TableMeta table) {
        known.remove(new Key(table, MISSING));
    }

    synchronized void note(TableMeta table, String statement, long rows, long nanos) {
        if (statement.length() <= STATEMENT_CHARS_MAX) {
            known.put(new Key(table, statement), new Counted(rows, nanos));
        }
    }
}
