package io.uniserve.protocol.client.transaction;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import java.util.Optional;
import java.util.TreeMap;

/** The newest version per table that a client has seen. The client never reads an older one. Thread-safe. */
public final class VersionWatermarks {
    private static final long RECENT_NANOS = Limits.VERSION_RECENT_MS * 1_000_000;

    private final TreeMap<Long, Known> byTable = new TreeMap<>();

    private final TreeMap<TableName, Long> tableIds = new TreeMap<>();

    private record Known(long version, long seenNanos) {}

    /** The table's watermark; 0 if there is none. */
    public synchronized long watermark(long tableId) {
        Known known = byTable.get(tableId);
        return known == null ? 0 : known.version;
    }

    /** Notes that the client uses the table under this number. */
    public synchronized void registerTable(TableName table, long tableId) {
        tableIds.putIfAbsent(table, tableId);
    }

    /**
     * Called before the client reads the table. If the table was restored from durable storage under a new number, versions that the client
     * has seen may be lost: returns the error that reports this, once.
     */
    public synchronized Optional<UniserveException> checkRestored(TableRoute route) {
        long number = route.meta().tableId();
        Long before = tableIds.put(route.meta().name(), number);
        Known known = before == null || before == number ? null : byTable.remove(before);
        if (known == null || route.map().actors().stream().anyMatch(actor -> actor.restoreEpoch() == 0)) {
            return Optional.empty();
        }
        return Optional.of(new UniserveException(
                ErrorCode.TABLE_RESTORED,
                "table " + route.meta().name() + " was restored from durable storage and has number " + number
                        + " now: updates seen under number " + before + ", up to version " + known.version
                        + ", may be lost; read again to see the current rows"));
    }

    /**
     * Notes that the client has seen this version.
     *
     * @param now time by the client's clock
     */
    public synchronized void raise(long tableId, long version, long now) {
        Known known = byTable.get(tableId);
        if (known == null || known.version <= version) {
            byTable.put(tableId, new Known(version, now));
        }
    }

    /** True if the client has seen the table's newest version recently: hardly any newer outcome is forgotten by now. */
    public synchronized boolean isRecent(long tableId, long now) {
        Known known = byTable.get(tableId);
        return known != null && now - known.seenNanos < RECENT_NANOS;
    }
}
