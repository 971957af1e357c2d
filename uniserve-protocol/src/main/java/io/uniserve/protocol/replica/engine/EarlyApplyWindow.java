package io.uniserve.protocol.replica.engine;

import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries that a primary's engine may apply before they are on disk: the PREPARE that was just logged, and the DECIDE before it, which is
 * in the same write. That is safe, because readers do not see prepared rows, and a decision in the transaction log is final. A failed step
 * waits until its entry is on disk, because the entry may still be removed from the log.
 */
public final class EarlyApplyWindow {
    private final ReplicaLog log;
    private long allowed;
    private @Nullable Runnable failedStep;
    private long failedIndex;

    private long version;
    private boolean commits;
    private boolean carriedOut;

    EarlyApplyWindow(ReplicaLog log) {
        this.log = log;
    }

    // Entries that are not on disk yet.

    /** Permits the engine to apply the log's entries up to this index. */
    void allow(long index) {
        allowed = index;
    }

    /** The last index that the engine was allowed to apply early; 0 for none. */
    long allowed() {
        return allowed;
    }

    /** The entry of this index, which is not on disk; null if the engine must wait for the disk. */
    @Nullable
    List<LogEntry> entry(long index) {
        List<LogEntry> entry = index > allowed ? null : log.recent(index, index, 1, 1);
        return entry == null || entry.isEmpty() || !TransactionEntryApplier.isTransactional(entry.get(0))
                ? null
                : entry;
    }

    /** Keeps a task of a failed step until the entry at this index is on disk. */
    void awaitDisk(long index, Runnable then) {
        failedIndex = index;
        failedStep = then;
    }

    /** The waiting task if its entry is on disk now; null otherwise. */
    @Nullable
    Runnable takeDurable() {
        Runnable due = log.durableIndex() >= failedIndex ? failedStep : null;
        if (due != null) {
            failedStep = null;
        }
        return due;
    }

    /** Withdraws the permission, as the end of the log is about to change. Returns true if a task was waiting; it is dropped. */
    boolean cancelEntries() {
        boolean waited = failedStep != null;
        failedStep = null;
        allowed = 0;
        return waited;
    }

    // The decision on the prepared version.

    /** Records this decision of the transaction log. */
    void decide(long decided, boolean commit) {
        if (version != decided) {
            version = decided;
            commits = commit;
            carriedOut = false;
        }
    }

    /** Resets the decision after the engine was rebuilt, as the new engine has applied nothing early. */
    void forgetDecision() {
        version = 0;
        carriedOut = false;
    }

    /** True if the decision on this version is known and not applied yet. */
    boolean decisionDue(long open) {
        return open != 0 && open == version && !carriedOut;
    }

    boolean commits() {
        return commits;
    }

    void decisionCarriedOut() {
        carriedOut = true;
    }

    /** The last version with an early applied decision; 0 for none. */
    public long decided() {
        return carriedOut ? version : 0;
    }

    /** The last version with an early applied decision if it was a commit; 0 otherwise. */
    public long committed() {
        return carriedOut && commits ? version : 0;
    }
}
