package io.uniserve.simulator.check.chunk;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** History of an atomic table that is partitioned by time: requests of clients and their results. */
public final class ChunkHistory {
    private final Map<String, Write> writes = new LinkedHashMap<>();
    private final List<Read> reads = new ArrayList<>();
    private final List<Stale> stale = new ArrayList<>();

    /** The value of an update's row in an actor. It names both. */
    public static String row(String marker, int actor) {
        return marker + "@" + actor;
    }

    /** Marker of a row. */
    public static String marker(String row) {
        return row.substring(0, row.indexOf('@'));
    }

    /** Actor of a row. */
    static int actor(String row) {
        return Integer.parseInt(row.substring(row.indexOf('@') + 1));
    }

    /** Records an update before the client sends it: one row to each of these actors, or to none. Markers are unique. */
    public Write write(String marker, long tableId, TreeSet<Integer> actors, long nanos) {
        Write write = new Write(marker, tableId, actors, nanos);
        writes.put(marker, write);
        return write;
    }

    /** Records a read that depends on leases or on a confirmed snapshot. */
    public void add(Read read) {
        reads.add(read);
    }

    /** Records a STALE read. */
    public void add(Stale read) {
        stale.add(read);
    }

    /** The update with this marker; null if no client sent it. */
    public @Nullable Write find(String marker) {
        return writes.get(marker);
    }

    /** All updates in the order of their requests. */
    public List<Write> writes() {
        return List.copyOf(writes.values());
    }

    /** All reads in the order of their ends. */
    List<Read> reads() {
        return reads;
    }

    List<Stale> stale() {
        return stale;
    }

    /** Update of one client. */
    public static final class Write {
        final String marker;
        final long tableId;
        final TreeSet<Integer> actors;
        final long invokedNanos;
        long doneNanos = Long.MAX_VALUE;
        long version;
        boolean refused;

        private Write(String marker, long tableId, TreeSet<Integer> actors, long invokedNanos) {
            this.marker = marker;
            this.tableId = tableId;
            this.actors = actors;
            this.invokedNanos = invokedNanos;
        }

        /** Records the result that the client got: committed in this version. */
        public void committed(long nanos, long inVersion) {
            doneNanos = nanos;
            version = inVersion;
        }

        /** Records the result that the client got: finally refused. */
        public void refused() {
            refused = true;
        }

        /** The marker in its rows. */
        public String marker() {
            return marker;
        }

        /** The number of the table in the request. */
        public long tableId() {
            return tableId;
        }

        /** The actors that get a row. */
        public TreeSet<Integer> actors() {
            return actors;
        }

        /** The version in which it was committed; 0 if the client does not know it. */
        public long version() {
            return version;
        }

        boolean committed() {
            return version > 0;
        }
    }

    /**
     * What a read may and must ask.
     *
     * @param covered the actors of the interval or key that the read covers
     * @param live the actors of the map in the registry when the read had ended
     * @param firstLive the map's watermark in the registry when the read began
     * @param confirmed true for mode STRICT, which asks the actors of a map that was the newest one meanwhile
     */
    public record Scope(IntPredicate covered, TreeSet<Integer> live, int firstLive, boolean confirmed) {}

    /**
     * Read of the actors of some chunks.
     *
     * @param how kind of the read, for messages
     * @param version the version of the read
     * @param versions version of the answer of each actor that was asked
     * @param lists values of each list, by its actor and key
     */
    public record Read(
            String client,
            String how,
            long tableId,
            long version,
            TreeMap<Integer, Long> versions,
            TreeMap<String, List<String>> lists,
            Scope scope,
            long invokedNanos,
            long doneNanos) {
        String describe() {
            return client + " read " + how + " at version " + version + " of number " + tableId;
        }
    }

    /** STALE read: rows as some replicas had them at some time. */
    public record Stale(String client, List<String> rows) {}
}
