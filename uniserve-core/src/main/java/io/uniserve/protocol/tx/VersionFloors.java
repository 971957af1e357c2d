package io.uniserve.protocol.tx;

import io.uniserve.limit.Limits;
import java.util.TreeMap;

/** The newest version of each table that a client was told of: it never reads an older one. Safe for use by several threads. */
public final class VersionFloors {
    private static final long RECENT_NANOS = Limits.VERSION_RECENT_MS * 1_000_000;

    private final TreeMap<Long, Known> byTable = new TreeMap<>();

    private record Known(long version, long toldNanos) {}

    /** The table's floor, 0 for none. */
    public synchronized long of(long tableId) {
        Known known = byTable.get(tableId);
        return known == null ? 0 : known.version;
    }

    /**
     * The client was told of this version.
     *
     * @param now by the client's clock
     */
    public synchronized void raise(long tableId, long version, long now) {
        Known known = byTable.get(tableId);
        if (known == null || known.version <= version) {
            byTable.put(tableId, new Known(version, now));
        }
    }

    /** True when the client was told of the table's newest version not long ago: hardly anything newer is forgotten by now. */
    public synchronized boolean recent(long tableId, long now) {
        Known known = byTable.get(tableId);
        return known != null && now - known.toldNanos < RECENT_NANOS;
    }
}
