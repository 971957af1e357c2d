package io.uniserve.protocol.replica.primary;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply.Vote;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.replica.state.Rejection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer of REFUSED entries for updates that the primary's engine cannot apply. If no other replica has received the entry and no client an
 * acknowledgement, the primary truncates its log before it, and appends REFUSED in its place. REFUSED is then replicated like any other
 * entry. Clients retry the updates after it.
 */
public final class RejectionLogger {
    private static final Logger LOG = LoggerFactory.getLogger(RejectionLogger.class);

    private static final int REASONS_KEPT = 64;
    private static final String TAKEN_BACK =
            "an update before it is refused, and this one was taken back with it: try again";

    private final ReplicaKey key;
    private final PendingUpdates pending;
    private final Supplier<@Nullable Primary> currentPrimary;
    private final Truncator truncator;
    private final Map<RequestId, String> reasons = new LinkedHashMap<>();
    private long rejectedVersion;
    private String rejectedReason = "";

    /** Truncates the log after an index. */
    public interface Truncator {
        void truncate(long after, Completion<Long> then);
    }

    public RejectionLogger(
            ReplicaKey key, PendingUpdates pending, Supplier<@Nullable Primary> leader, Truncator cutter) {
        this.key = key;
        this.pending = pending;
        this.currentPrimary = leader;
        this.truncator = cutter;
    }

    /** The vote NO if the engine recently rejected rows of this request, or this version; null if no rejection is known. */
    @Nullable
    Vote knownRejection(Prepare prepare, long epoch) {
        for (BatchRows batch : prepare.batches()) {
            String why = reasons.get(batch.request());
            if (why != null) {
                return no(epoch, batch.request(), why);
            }
        }
        return prepare.version() == rejectedVersion ? no(epoch, null, rejectedReason) : null;
    }

    private static Vote no(long epoch, @Nullable RequestId request, String why) {
        return new Vote(
                Vote.Kind.NO, epoch, request, "the engine cannot apply the rows, so all replicas refuse them: " + why);
    }

    /** Records the rejection. The rejected request is certain only if the PREPARE has rows of a single request. */
    private void keep(LogEntry prepare, String why) {
        rejectedVersion = prepare.version();
        rejectedReason = why;
        List<BatchRows> batches = prepare.batches();
        if (batches.size() == 1) {
            reasons.put(batches.get(0).request(), why);
        }
        if (reasons.size() > REASONS_KEPT) {
            Iterator<RequestId> oldest = reasons.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Handles the engine's failure for an update, see {@code EngineListener#onRejected}. */
    public boolean onRejected(ReplicaLog log, LogEntry update, UniserveException error, boolean certain) {
        Primary primary = currentPrimary.get();
        if (primary == null || !primary.canRefuse(update.index())) {
            return false;
        }
        if (certain) {
            if (update.type() == LogEntry.Type.PREPARE) {
                // the transaction manager need not wait for the rebuilt engine: no other replica has the entry, so the
                // version can only abort
                keep(update, Rejection.of(update, error).reason());
                pending.failRefused(update.index(), Rejection.of(update, error).reason(), update.epoch());
            }
            truncator.truncate(update.index() - 1, cut -> {
                if (currentPrimary.get() == primary) {
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
        pending.onRefused(update.index(), rejection.reason());
        log.append(update.toRefused(rejection.encode()));
    }
}
