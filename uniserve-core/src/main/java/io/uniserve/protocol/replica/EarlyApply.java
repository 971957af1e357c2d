package io.uniserve.protocol.replica;

import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a primary's engine has of its log before it is on disk: the PREPARE that was just logged, and the decision before it,
 * which is written with it. Prepared rows are seen by nobody, and what the table's log has decided holds whatever is on this disk.
 * A step that fails waits for its entry: what becomes of it is decided by the log.
 */
final class EarlyApply {
    private final ReplicaLog log;
    private long last;
    private @Nullable Runnable waiting;
    private long waitsFor;

    EarlyApply(ReplicaLog log) {
        this.log = log;
    }

    /** The engine may have what the log has up to this index. */
    void upTo(long index) {
        last = index;
    }

    /** The last index that the engine was allowed to have early; 0 for none. */
    long last() {
        return last;
    }

    /** The entry, which is not on disk; null where the engine must wait for the disk. */
    @Nullable
    List<LogEntry> next(long index) {
        List<LogEntry> entry = index > last ? null : log.recent(index, index, 1, 1);
        return entry == null || entry.isEmpty() || !TransactionSteps.isFor(entry.get(0)) ? null : entry;
    }

    /** The step for the entry of this index has failed: this is done when the entry is on disk. */
    void await(long index, Runnable then) {
        waitsFor = index;
        waiting = then;
    }

    /** What has waited for the disk and need not any more; null for nothing. */
    @Nullable
    Runnable due() {
        Runnable due = log.durableIndex() >= waitsFor ? waiting : null;
        if (due != null) {
            waiting = null;
        }
        return due;
    }

    /** The log's end is about to change: what was allowed is no more. True where a step has waited, which it now does not. */
    boolean letGo() {
        boolean waited = waiting != null;
        waiting = null;
        last = 0;
        return waited;
    }
}
