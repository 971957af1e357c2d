package io.uniserve.protocol.replica.replication;

import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.replica.engine.EngineApplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Entries that a primary sends to in-sync replicas before they are on its own disk: a PREPARE that its engine has prepared, with the DECIDE
 * before it. So primary and followers write at the same time.
 *
 * <p>If such an entry never reaches the primary's disk, a follower may still have it, in this epoch and at an index that the primary would
 * use again. The primary therefore logs nothing more in this epoch: the epoch is spent. That happens after a failed write. After a restart
 * the primary has no record of the sent entries, so an epoch that started before the restart is spent too.
 */
public final class EarlyReplicator {
    private final ReplicaLog log;
    private final Supplier<@Nullable EngineApplier> engine;
    private final boolean atomic;
    private long prepareIndex;
    private long sentIndex;
    private boolean epochSpent;

    /** @param atomic false for a table without PREPARE entries */
    public EarlyReplicator(ReplicaLog log, Supplier<@Nullable EngineApplier> engine, boolean atomic) {
        this.log = log;
        this.engine = engine;
        this.atomic = atomic;
    }

    /** Starts the primary in an epoch with this number of in-sync replicas. */
    public void start(long epoch, int inSync) {
        epochSpent = atomic && inSync > 1 && log.lastEpoch() == epoch;
    }

    /** True when this epoch is spent: nothing more may be logged in it. */
    public boolean isEpochSpent() {
        return epochSpent;
    }

    /** Last index that was or may have been sent to in-sync replicas before it was on disk here; 0 for none. */
    public long sentIndex() {
        return sentIndex;
    }

    /** Handles a PREPARE or DECIDE that the primary has logged. */
    public void onLogged(LogEntry entry) {
        EngineApplier here = engine.get();
        if (entry.type() == LogEntry.Type.PREPARE && here != null) {
            prepareIndex = entry.index();
            here.permitEarlyApply(prepareIndex);
        }
    }

    /** Notes that the engine has applied the log up to this index. */
    public void onApplied(long index) {
        if (index >= prepareIndex && prepareIndex > log.durableIndex()) {
            sentIndex = Math.max(sentIndex, prepareIndex);
        }
    }

    /** Handles a failed write: entries from this index on are gone from the log. */
    public void onAppendFailed(long from, int inSync) {
        epochSpent |= sentIndex >= from && inSync > 1;
        sentIndex = Math.min(sentIndex, from - 1);
        prepareIndex = Math.min(prepareIndex, from - 1);
    }
}
