package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.TableName;
import java.util.Optional;
import java.util.TreeMap;

/** The newest version of each table that a client was told of: it never reads an older one. Safe for use by several threads. */
public final class VersionWatermarks {
    private static final long RECENT_NANOS = Limits.VERSION_RECENT_MS * 1_000_000;

    private final TreeMap<Long, Known> byTable = new TreeMap<>();

    private final TreeMap<TableName, Long> numbers = new TreeMap<>();

    private record Known(long version, long toldNanos) {}

    /** The table's floor, 0 for none. */
    public synchronized long of(long tableId) {
        Known known = byTable.get(tableId);
        return known == null ? 0 : known.version;
    }

    /** The client uses the table under this number. */
    public synchronized void uses(TableName table, long tableId) {
        numbers.putIfAbsent(table, tableId);
    }

    /**
     * The client is about to read the table. What it was told of versions under an earlier number may be gone where the table
     * was restored from durable storage since: then this is the error that says so, once.
     */
    public synchronized Optional<UniserveException> restored(TableRoute route) {
        long number = route.meta().tableId();
        Long before = numbers.put(route.meta().name(), number);
        Known known = before == null || before == number ? null : byTable.remove(before);
        if (known == null || route.map().actors().stream().anyMatch(actor -> actor.restoreEpoch() == 0)) {
            return Optional.empty();
        }
        return Optional.of(new UniserveException(
                ErrorCode.TABLE_RESTORED,
                "table " + route.meta().name() + " was restored from durable storage and has number " + number
                        + " now: what this client was told of number " + before + ", up to version " + known.version
                        + ", may be lost; read again to see what there is"));
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
