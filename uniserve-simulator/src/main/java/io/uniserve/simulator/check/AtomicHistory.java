package io.uniserve.simulator.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** History of an atomic table: requests of clients and their results. */
public final class AtomicHistory {
    private final Map<String, Write> writes = new LinkedHashMap<>();
    private final List<Read> reads = new ArrayList<>();
    private final List<Stale> stale = new ArrayList<>();
    private final List<Restored> restored = new ArrayList<>();
    private final TransferHistory transfers = new TransferHistory();

    /** The transfers of amounts between rows of the table. */
    public TransferHistory transfers() {
        return transfers;
    }

    /** Records an append before the client sends it: the marker goes to all of these lists, or to none. Markers are unique. */
    public Write write(String client, String marker, TreeSet<Integer> lists, long nanos) {
        Write write = new Write(client, marker, lists, nanos);
        writes.put(marker, write);
        return write;
    }

    /** Records a read of lists at one version. */
    public void read(Read read) {
        reads.add(read);
    }

    /** Removes all entries, after they have been checked. */
    public void clear() {
        writes.clear();
        reads.clear();
        stale.clear();
        restored.clear();
        transfers.clear();
    }

    @Nullable
    Write find(String marker) {
        return writes.get(marker);
    }

    /** All writes in the order of their requests. */
    List<Write> writes() {
        return List.copyOf(writes.values());
    }

    List<Read> reads() {
        return reads;
    }

    /** Records a read of lists from any replica. */
    public void stale(Stale read) {
        stale.add(read);
    }

    List<Stale> stale() {
        return stale;
    }

    /** Records that a client got TABLE_RESTORED. */
    public void addRestored(Restored told) {
        restored.add(told);
    }

    List<Restored> addRestored() {
        return restored;
    }

    /**
     * Read of lists; it includes all actors that were queried, also those without a marker.
     *
     * @param tableId the table number under which the table was read; 0 if the table always had the same number
     * @param version the version up to which all lists are complete
     * @param oneVersion true if all lists are of exactly this version; false if each may be of a newer one
     */
    public record Read(
            String client,
            long invokedNanos,
            long doneNanos,
            long tableId,
            long version,
            boolean oneVersion,
            TreeMap<Integer, List<String>> lists) {
        /** Read of a single version. */
        public Read(
                String client, long invokedNanos, long doneNanos, long version, TreeMap<Integer, List<String>> lists) {
            this(client, invokedNanos, doneNanos, 0, version, true, lists);
        }
    }

    /**
     * TABLE_RESTORED as a client got it.
     *
     * @param tableId the new number of the table
     */
    public record Restored(String client, long nanos, long tableId) {}

    /** STALE read: lists as some replica had them at some time. */
    public record Stale(String client, long doneNanos, TreeMap<Integer, List<String>> lists) {}

    /** Append of one marker to several lists. */
    public static final class Write {
        final String client;
        final String marker;
        final TreeSet<Integer> lists;
        final long invokedNanos;
        long doneNanos = Long.MAX_VALUE;
        long version;
        boolean refused;

        private Write(String client, String marker, TreeSet<Integer> lists, long invokedNanos) {
            this.client = client;
            this.marker = marker;
            this.lists = lists;
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

        boolean committed() {
            return doneNanos != Long.MAX_VALUE;
        }
    }
}
