package io.uniserve.testkit.simulation.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What clients of an atomic table asked and heard. */
public final class AtomicHistory {
    private final Map<String, Write> writes = new LinkedHashMap<>();
    private final List<Read> reads = new ArrayList<>();
    private final List<Stale> stale = new ArrayList<>();
    private final List<Restored> restored = new ArrayList<>();
    private final TransferHistory transfers = new TransferHistory();

    /** Amounts that were moved between its rows. */
    public TransferHistory transfers() {
        return transfers;
    }

    /** A client is about to append the marker to these lists, all or none; markers are unique. */
    public Write write(String client, String marker, TreeSet<Integer> lists, long nanos) {
        Write write = new Write(client, marker, lists, nanos);
        writes.put(marker, write);
        return write;
    }

    /** A client got lists of one version. */
    public void read(Read read) {
        reads.add(read);
    }

    /** Begins anew: what was heard so far has been judged. */
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

    /** All writes in the order they were asked. */
    List<Write> writes() {
        return List.copyOf(writes.values());
    }

    List<Read> reads() {
        return reads;
    }

    /** A client got lists of any replica. */
    public void stale(Stale read) {
        stale.add(read);
    }

    List<Stale> stale() {
        return stale;
    }

    /** A client heard that the table was restored from durable storage. */
    public void restored(Restored told) {
        restored.add(told);
    }

    List<Restored> restored() {
        return restored;
    }

    /**
     * Lists of all actors that were asked, those without a marker too.
     *
     * @param tableId the number under which the table was read; 0 where it never had another one
     * @param version the one that all are complete through
     * @param oneVersion all are of this version; false where each may be of a newer one
     */
    public record Read(
            String client,
            long invokedNanos,
            long doneNanos,
            long tableId,
            long version,
            boolean oneVersion,
            TreeMap<Integer, List<String>> lists) {
        /** One of a single version. */
        public Read(
                String client, long invokedNanos, long doneNanos, long version, TreeMap<Integer, List<String>> lists) {
            this(client, invokedNanos, doneNanos, 0, version, true, lists);
        }
    }

    /**
     * TABLE_RESTORED.
     *
     * @param tableId the number that the table has now
     */
    public record Restored(String client, long nanos, long tableId) {}

    /** Lists as some replica had them at some time. */
    public record Stale(String client, long doneNanos, TreeMap<Integer, List<String>> lists) {}

    /** An append of one marker to several lists. */
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

        /** The client heard that it is committed, in this version. */
        public void committed(long nanos, long inVersion) {
            doneNanos = nanos;
            version = inVersion;
        }

        /** The client heard that it is refused for good. */
        public void refused() {
            refused = true;
        }

        boolean committed() {
            return doneNanos != Long.MAX_VALUE;
        }
    }
}
