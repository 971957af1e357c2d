package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer of REFUSED entries for updates that the primary's engine cannot apply. If no other replica has got the entry and no client an
 * acknowledgement, the primary truncates its log before it, and appends REFUSED in its place. REFUSED is then replicated like any other
 * entry. Clients send the updates after it again.
 */
final class RejectionLogger {
    private static final Logger LOG = LoggerFactory.getLogger(RejectionLogger.class);

    private static final String TAKEN_BACK = "the log was truncated at a refused update before this one: retry";

    private final ReplicaKey key;
    private final PendingUpdates pending;
    private final Supplier<@Nullable Primary> leader;
    private final Cutter cutter;
    private final RejectedRows refused = new RejectedRows();

    /** Truncation of the log after an index. */
    interface Cutter {
        void cut(long after, Completion<Long> then);
    }

    RejectionLogger(ReplicaKey key, PendingUpdates pending, Supplier<@Nullable Primary> leader, Cutter cutter) {
        this.key = key;
        this.pending = pending;
        this.leader = leader;
        this.cutter = cutter;
    }

    /** Recently rejected rows of atomic updates. */
    RejectedRows refused() {
        return refused;
    }

    /** Handles the engine's failure for an update, see {@link EngineListener#rejected}. */
    boolean rejected(ReplicaLog log, LogEntry update, UniserveException error, boolean certain) {
        Primary primary = leader.get();
        if (primary == null || !primary.mayRefuse(update.index())) {
            return false;
        }
        if (certain) {
            if (update.type() == LogEntry.Type.PREPARE) {
                // the transaction manager need not wait for the rebuilt engine: no other replica has the entry, so the
                // version can only
                // abort
                refused.add(update, Rejection.of(update, error).reason());
                pending.refuseNow(update.index(), Rejection.of(update, error).reason(), update.epoch());
            }
            cutter.cut(update.index() - 1, cut -> {
                if (leader.get() == primary) {
                    long from = cut instanceof Outcome.Ok<Long> ? update.index() + 1 : log.lastIndex() + 1;
                    pending.failFrom(from, ErrorCode.UNAVAILABLE, TAKEN_BACK, update.epoch());
                    if (cut instanceof Outcome.Ok<Long>) {
                        refuse(log, update, error);
                    }
                }
            });
        }
        return true;
    }

    private void refuse(ReplicaLog log, LogEntry update, UniserveException error) {
        LOG.warn("{}: update {} of {} refused: {}", key, update.index(), update.request(), error.getMessage());
        Rejection rejection = Rejection.of(update, error);
        pending.refused(update.index(), rejection.reason());
        log.append(update.refused(rejection.encode()));
    }
}
