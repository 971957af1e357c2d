package io.uniserve.sql.engine;

import io.uniserve.sql.rows.PackedRows;
import io.uniserve.sql.rows.SqlRows;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Temporary tables in the engine for rows that are sent with queries. All actors of a server that read the same rows share one table, which
 * exists as long as it has readers. Thread-safe.
 */
public final class SharedTempTableRegistry<M> {
    private final Maker<M> maker;
    private final Map<PackedRows, Stored<M>> stored = new IdentityHashMap<>();

    /** Creator of temporary tables. */
    public interface Maker<M> {
        /** Creates a table, a file or the like, and returns the handle for readers. */
        M make(SqlRows rows) throws Exception;

        /** Drops it. */
        void drop(M made) throws Exception;
    }

    /** Reader of the created tables, by their names in the query. */
    @FunctionalInterface
    public interface Reading<M, T> {
        T read(Map<String, M> made) throws Exception;
    }

    /** Shared table with its number of readers. */
    private static final class Stored<M> {
        private @Nullable M made;
        private int readers;
    }

    public SharedTempTableRegistry(Maker<M> maker) {
        this.maker = maker;
    }

    /** Runs a reading. Afterwards the tables are dropped, except those with other readers. */
    public <T> T read(Map<String, PackedRows> relations, Reading<M, T> reading) throws Exception {
        Map<String, M> made = new LinkedHashMap<>();
        List<PackedRows> held = new ArrayList<>();
        try {
            for (Map.Entry<String, PackedRows> one : relations.entrySet()) {
                Stored<M> relation = acquire(one.getValue());
                held.add(one.getValue());
                made.put(one.getKey(), awaitMade(relation, one.getValue()));
            }
            return reading.read(made);
        } finally {
            for (PackedRows one : held) {
                release(one);
            }
        }
    }

    private Stored<M> acquire(PackedRows rows) {
        synchronized (stored) {
            Stored<M> relation = stored.computeIfAbsent(rows, key -> new Stored<>());
            relation.readers++;
            return relation;
        }
    }

    /** Returns the table. The first reader creates it while others wait. */
    private M awaitMade(Stored<M> relation, PackedRows rows) throws Exception {
        synchronized (relation) {
            M made = relation.made;
            if (made == null) {
                made = maker.make(rows.unpack());
                relation.made = made;
            }
            return made;
        }
    }

    private void release(PackedRows rows) throws Exception {
        M made;
        synchronized (stored) {
            Stored<M> relation = stored.get(rows);
            if (relation == null || --relation.readers > 0) {
                return;
            }
            stored.remove(rows);
            made = relation.made;
        }
        if (made != null) {
            maker.drop(made);
        }
    }
}
