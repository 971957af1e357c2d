package io.uniserve.sql;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows of other tables that queries come with, each in the engine while actors read it: those of a server share it. Safe for
 * use by several threads.
 */
public final class SharedTempTables<M> {
    private final Maker<M> maker;
    private final Map<PackedRows, Stored<M>> stored = new IdentityHashMap<>();

    /** Puts rows into the engine. */
    public interface Maker<M> {
        /** Makes a table, a file or the like, and returns what it is to readers. */
        M make(SqlRows rows) throws Exception;

        /** Drops what it made. */
        void drop(M made) throws Exception;
    }

    /** Reads; the map has what was made of the relations, by their names in the query. */
    @FunctionalInterface
    public interface Reading<M, T> {
        T read(Map<String, M> made) throws Exception;
    }

    /** One relation and how many read it. */
    private static final class Stored<M> {
        private @Nullable M made;
        private int readers;
    }

    public SharedTempTables(Maker<M> maker) {
        this.maker = maker;
    }

    /** Runs a reading; the relations are gone afterwards, but for those that others read. */
    public <T> T with(Map<String, PackedRows> relations, Reading<M, T> reading) throws Exception {
        Map<String, M> made = new LinkedHashMap<>();
        List<PackedRows> held = new ArrayList<>();
        try {
            for (Map.Entry<String, PackedRows> one : relations.entrySet()) {
                Stored<M> relation = hold(one.getValue());
                held.add(one.getValue());
                made.put(one.getKey(), made(relation, one.getValue()));
            }
            return reading.read(made);
        } finally {
            for (PackedRows one : held) {
                release(one);
            }
        }
    }

    private Stored<M> hold(PackedRows rows) {
        synchronized (stored) {
            Stored<M> relation = stored.computeIfAbsent(rows, key -> new Stored<>());
            relation.readers++;
            return relation;
        }
    }

    /** The first reader makes it; others wait for it. */
    private M made(Stored<M> relation, PackedRows rows) throws Exception {
        synchronized (relation) {
            M made = relation.made;
            if (made == null) {
                made = maker.make(rows.unpacked());
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
