package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowCondition;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.UpdateRequest;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Handler of one update at the primary. It finds duplicates, checks limits, has the engine validate the rows, and appends the update to the
 * log.
 */
final class UpdateHandler {
    private final ReplicaContext host;
    private final ReplicaKey key;
    private final ReplicaLog log;
    private final PendingUpdates pending;
    private final Supplier<RequestTable> table;
    private final LeaderNow leader;

    /** The current primary; null if this replica is not the primary any more. */
    interface LeaderNow {
        @Nullable
        Primary get();
    }

    UpdateHandler(
            ReplicaContext host,
            ReplicaKey key,
            ReplicaLog log,
            PendingUpdates pending,
            Supplier<RequestTable> table,
            LeaderNow leader) {
        this.host = host;
        this.key = key;
        this.log = log;
        this.pending = pending;
        this.table = table;
        this.leader = leader;
    }

    static ActorFailure failure(ReplicaKey key, ErrorCode code, String message, long epoch) {
        return new ActorFailure(key.actor(), code, message, epoch);
    }

    void admit(UpdateRequest request, UpdateRequest.ActorRows rows, PendingUpdates.Callback callback) {
        Primary primary = leader.get();
        if (primary == null || rows.epoch() != primary.epoch()) {
            long epoch = primary == null ? 0 : primary.epoch();
            callback.failed(failure(
                    key, ErrorCode.STALE_EPOCH, "epoch " + rows.epoch() + " sent, " + epoch + " installed", epoch));
            return;
        }
        Optional<UniserveException> refusal = primary.refusal();
        if (refusal.isPresent()) {
            callback.failed(failure(key, refusal.get().code(), refusal.get().reason(), primary.epoch()));
            return;
        }
        long hash = RequestTable.contentHash(request.function(), rows.rows());
        PendingUpdates.Update under = pending.find(request.request());
        if (under != null) {
            if (under.hash == hash) {
                pending.join(under, request.level(), true, primary.epoch(), callback);
            } else {
                callback.failed(otherContent(primary));
            }
            return;
        }
        RequestTable.Answer answer = table.get().find(request.request(), request.attempt());
        if (answer instanceof RequestTable.Answer.Unknown) {
            begin(primary, request, rows, hash, callback);
        } else if (answer instanceof RequestTable.Answer.Recorded recorded && recorded.hash() == hash) {
            pending.joinRecorded(recorded, request.level(), callback);
            primary.advance();
        } else if (answer instanceof RequestTable.Answer.Recorded) {
            callback.failed(otherContent(primary));
        } else {
            callback.failed(failure(
                    key,
                    ErrorCode.OUTCOME_EXPIRED,
                    "the outcome of request " + request.request() + " was dropped: read the data to find out",
                    primary.epoch()));
        }
    }

    private ActorFailure otherContent(Primary primary) {
        return failure(
                key,
                ErrorCode.INVALID_ARGUMENT,
                "this request id was used with other content: use a new id",
                primary.epoch());
    }

    private void begin(
            Primary primary,
            UpdateRequest request,
            UpdateRequest.ActorRows rows,
            long hash,
            PendingUpdates.Callback callback) {
        int size = rows.rows().size();
        if (!pending.hasRoom(size)) {
            callback.failed(
                    failure(key, ErrorCode.RESOURCE_EXHAUSTED, "too many updates wait: slow down", primary.epoch()));
            return;
        }
        if (!log.hasRoom(size)) {
            callback.failed(failure(
                    key, ErrorCode.LOG_FULL, "the actor's log has reached its limit of bytes", primary.epoch()));
            return;
        }
        PendingUpdates.Update update = pending.admit(request.request(), hash, size);
        pending.join(update, request.level(), false, primary.epoch(), callback);
        host.env().engine().validate(key, request.function(), rows.rows(), valid -> {
            if (pending.find(request.request()) == update) {
                validated(update, request, rows, valid);
            }
        });
    }

    private void validated(
            PendingUpdates.Update update,
            UpdateRequest request,
            UpdateRequest.ActorRows rows,
            Outcome<RowCondition> valid) {
        Primary primary = leader.get();
        long epoch = primary == null ? 0 : primary.epoch();
        // the validated state may be older than the newest acknowledged one
        boolean conflict =
                valid instanceof Outcome.Err<RowCondition> err && err.error().code() == ErrorCode.CONFLICT;
        if (!conflict && valid instanceof Outcome.Err<RowCondition> err) {
            pending.refuse(update, err.error().code(), err.error().reason(), epoch);
            return;
        }
        Optional<UniserveException> refusal = primary == null
                ? Optional.of(new UniserveException(ErrorCode.NOT_PRIMARY, "the primary changed: use the new one"))
                : primary.refusal();
        if (primary == null || refusal.isPresent()) {
            ErrorCode code = refusal.map(UniserveException::code).orElse(ErrorCode.NOT_PRIMARY);
            pending.refuse(update, code, refusal.map(UniserveException::reason).orElse("not primary"), epoch);
            return;
        }
        boolean conditional = conflict || valid.value() == RowCondition.ON_STATE;
        AppendOrder order = primary.order();
        if (conditional) {
            order.exclusively(() -> appendIfItHolds(order, update, request, rows));
        } else {
            primary.beforeAppend(() -> order.append(() -> append(update, request, rows)));
        }
    }

    /** Checks the condition again, with the whole log applied and no other update in progress. */
    private void appendIfItHolds(
            AppendOrder order, PendingUpdates.Update update, UpdateRequest request, UpdateRequest.ActorRows rows) {
        host.env().engine().validate(key, request.function(), rows.rows(), holds -> {
            Primary primary = leader.get();
            if (pending.find(request.request()) != update) {
                order.release();
            } else if (holds instanceof Outcome.Err<RowCondition> err) {
                pending.refuse(update, err.error().code(), err.error().reason(), primary == null ? 0 : primary.epoch());
                order.release();
            } else if (primary == null || primary.order() != order) {
                pending.refuse(update, ErrorCode.NOT_PRIMARY, "the primary changed: use the new one", 0);
                order.release();
            } else {
                primary.beforeAppend(() -> {
                    append(update, request, rows);
                    order.release();
                });
            }
        });
    }

    /** Appends the update after another check of epoch and limits, which may have changed during validation. */
    private void append(PendingUpdates.Update update, UpdateRequest request, UpdateRequest.ActorRows rows) {
        Primary primary = leader.get();
        if (pending.find(request.request()) != update) {
            return;
        }
        if (primary == null) {
            pending.refuse(update, ErrorCode.NOT_PRIMARY, "the primary changed: use the new one", 0);
            return;
        }
        Optional<UniserveException> refusal = primary.refusal();
        if (refusal.isPresent()) {
            pending.refuse(update, refusal.get().code(), refusal.get().reason(), primary.epoch());
            return;
        }
        LogEntry entry = new LogEntry(
                LogEntry.Type.UPDATE,
                primary.epoch(),
                log.lastIndex() + 1,
                0,
                request.request(),
                request.lowWater(),
                request.function(),
                rows.rows());
        primary.append(update, entry);
    }
}
