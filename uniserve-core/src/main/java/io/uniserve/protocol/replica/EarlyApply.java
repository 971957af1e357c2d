package io.uniserve.protocol.replica;

import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries that a primary's engine may get before they are on disk: the PREPARE that was just logged, and the DECIDE before it, which is in
 * the same write. That is safe, because readers do not see prepared rows, and a decision in the transaction log is final. A failed step
 * waits until its entry is on disk, because the entry may still be removed from the log.
 */
final class EarlyApply {
    private final ReplicaLog log;
    private long last;
    private @Nullable Runnable waiting;
    private long waitsFor;

    EarlyApply(ReplicaLog log) {
        this.log = log;
    }

    /** Permits the engine to get entries up to this index. */
    void upTo(long index) {
        last = index;
    }

    /** Last index that the engine was permitted to get early; 0 for none. */
    long last() {
        return last;
    }

    /** The entry at this index, which is not on disk; null if the engine must wait for the disk. */
    @Nullable
    List<LogEntry> next(long index) {
        List<LogEntry> entry = index > last ? null : log.recent(index, index, 1, 1);
        return entry == null || entry.isEmpty() || !TransactionSteps.isFor(entry.get(0)) ? null : entry;
    }

    /** Keeps a task of a failed step until the entry at this index is on disk. */
    void await(long index, Runnable then) {
        waitsFor = index;
        waiting = then;
    }

    /** The waiting task if its entry is on disk now; null otherwise. */
    @Nullable
    Runnable due() {
        Runnable due = log.durableIndex() >= waitsFor ? waiting : null;
        if (due != null) {
            waiting = null;
        }
        return due;
    }

    /** Withdraws the permission, as the end of the log is about to change. Returns true if a task was waiting; it is dropped. */
    boolean letGo() {
        boolean waited = waiting != null;
        waiting = null;
        last = 0;
        return waited;
    }
}
