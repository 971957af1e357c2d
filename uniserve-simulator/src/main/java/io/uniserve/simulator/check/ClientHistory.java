package io.uniserve.simulator.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** History of an eventual table: every append of a marker to a list and every read of a list, with the results. */
public final class ClientHistory {
    private final Map<Integer, Map<String, Append>> appends = new HashMap<>();
    private final List<Append> inOrder = new ArrayList<>();
    private final List<Read> reads = new ArrayList<>();

    /** Records an append before the client sends it. Markers are unique. */
    public Append append(String client, String marker, int list, boolean isr, long nanos) {
        Append append = new Append(client, marker, list, isr, nanos);
        appends.computeIfAbsent(list, k -> new HashMap<>()).put(marker, append);
        inOrder.add(append);
        return append;
    }

    /** Records a read of a list. */
    public void read(Read read) {
        reads.add(read);
    }

    /** Removes all entries, after they have been checked. */
    public void clear() {
        appends.clear();
        inOrder.clear();
        reads.clear();
    }

    @Nullable
    Append find(int list, String marker) {
        return of(list).get(marker);
    }

    /** All appends to a list by marker. */
    Map<String, Append> of(int list) {
        return appends.getOrDefault(list, Map.of());
    }

    /** All appends in the order of their requests. */
    public List<Append> appends() {
        return inOrder;
    }

    List<Read> reads() {
        return reads;
    }

    /**
     * Read of a list.
     *
     * @param floor log index that the answer must cover
     * @param linearizable false for a stale read; only its content is checked
     */
    public record Read(
            String client,
            int list,
            long invokedNanos,
            long doneNanos,
            long floor,
            boolean linearizable,
            List<String> markers) {
        public Read {
            markers = List.copyOf(markers);
        }
    }

    /** Append of one marker to one list. */
    public static final class Append {
        final String client;
        final String marker;
        final int list;
        final boolean isr;
        final long invokedNanos;
        long ackedNanos = Long.MAX_VALUE;
        long index;
        boolean refused;

        private Append(String client, String marker, int list, boolean isr, long invokedNanos) {
            this.client = client;
            this.marker = marker;
            this.list = list;
            this.isr = isr;
            this.invokedNanos = invokedNanos;
        }

        /** Records the result that the client got: the marker is logged at this index. */
        public void acked(long nanos, long logIndex) {
            ackedNanos = nanos;
            index = logIndex;
        }

        /** Records the result that the client got: finally refused. */
        public void refused() {
            refused = true;
        }

        boolean ackedAtIsrBefore(long nanos) {
            return isr && ackedNanos < nanos;
        }
    }
}
