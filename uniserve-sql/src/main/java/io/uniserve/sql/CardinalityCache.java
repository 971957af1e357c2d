package io.uniserve.sql;

import io.uniserve.model.TableMeta;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * How many rows conditions left when they were last counted: good enough to choose what is sent where, and no reason to refuse
 * anything. Safe for use by several threads.
 */
final class CardinalityCache {
    /** What is older is counted again: tables grow. */
    static final long FRESH_NANOS = 60_000_000_000L;

    private static final int KEPT_MAX = 4_096;

    /** What moves while it is read is not there once. */
    private static final int APART_MIN = 2;

    /** Begins no statement. */
    private static final String BESIDE = "beside ";

    /** Begins none either. */
    private static final String MISSING = "missing";

    private static final int MISSING_DOUBLED_MAX = 10;

    /** Longer statements, with lists of constants, are counted each time. */
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

    /** The number that a statement counted; none where that was too long ago. */
    synchronized OptionalLong of(TableMeta table, String statement, long nanos) {
        Counted last = known.get(new Key(table, statement));
        return last == null || nanos - last.at > FRESH_NANOS ? OptionalLong.empty() : OptionalLong.of(last.rows);
    }

    /** Whether actors of one table were lately not found beside those of another, twice. */
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

    /** Whether rows of a table were lately not there for all keys that lead to it: for a minute, and twice as long each time. */
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
