package io.uniserve.protocol.tx;

import java.util.TreeMap;

/** The newest version of each table that a client was told of: it never reads an older one. Safe for use by several threads. */
public final class VersionFloors {
    private final TreeMap<Long, Long> byTable = new TreeMap<>();

    /** The table's floor, 0 for none. */
    public synchronized long of(long tableId) {
        return byTable.getOrDefault(tableId, 0L);
    }

    /** The client was told of this version. */
    public synchronized void raise(long tableId, long version) {
        byTable.merge(tableId, version, Math::max);
    }
}
