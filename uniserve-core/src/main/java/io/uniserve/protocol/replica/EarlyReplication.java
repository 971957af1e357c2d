package io.uniserve.protocol.replica;

import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Entries that a primary sends to in-sync replicas before they are on its own disk: a PREPARE that its engine has prepared, with the DECIDE
 * before it. So primary and followers write at the same time.
 *
 * <p>If such an entry never reaches the primary's disk, a follower may still have it, in this epoch and at an index that the primary would
 * use again. The primary therefore logs nothing more in this epoch: the epoch is spent. That happens after a failed write. After a restart
 * the primary does not know which entries it had sent, so an epoch that had started before is spent too.
 */
final class EarlyReplication {
    private final ReplicaLog log;
    private final Supplier<@Nullable EngineApplier> engine;
    private final boolean atomic;
    private long prepare;
    private long given;
    private boolean spent;

    /** @param atomic false for a table without PREPARE entries */
    EarlyReplication(ReplicaLog log, Supplier<@Nullable EngineApplier> engine, boolean atomic) {
        this.log = log;
        this.engine = engine;
        this.atomic = atomic;
    }

    /** Starts the primary in an epoch with this number of in-sync replicas. */
    void begin(long epoch, int inSync) {
        spent = atomic && inSync > 1 && log.lastEpoch() == epoch;
    }

    /** True when this epoch is spent: nothing more may be logged in it. */
    boolean spent() {
        return spent;
    }

    /** Last index that was or may have been sent to in-sync replicas before it was on disk here; 0 for none. */
    long given() {
        return given;
    }

    /** Handles a PREPARE or DECIDE that the primary has logged. */
    void logged(LogEntry entry) {
        EngineApplier here = engine.get();
        if (entry.type() == LogEntry.Type.PREPARE && here != null) {
            prepare = entry.index();
            here.runAhead(prepare);
        }
    }

    /** Notes that the engine has applied the log up to this index. */
    void applied(long index) {
        if (index >= prepare && prepare > log.durableIndex()) {
            given = Math.max(given, prepare);
        }
    }

    /** Handles a failed write: entries from this index on are gone from the log. */
    void appendFailed(long from, int inSync) {
        spent |= given >= from && inSync > 1;
        given = Math.min(given, from - 1);
        prepare = Math.min(prepare, from - 1);
    }
}
