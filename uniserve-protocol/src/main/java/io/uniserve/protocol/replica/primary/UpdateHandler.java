package io.uniserve.protocol.replica.primary;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowStateDependency;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.replication.AppendSequencer;
import io.uniserve.protocol.replica.state.RequestOutcomeTable;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Handler of one update at the primary. It finds duplicates, checks limits, has the engine validate the rows, and appends the update to the
 * log.
 */
public final class UpdateHandler {
    private final ReplicaContext host;
    private final ReplicaKey key;
    private final ReplicaLog log;
    private final PendingUpdates pending;
    private final Supplier<RequestOutcomeTable> table;
    private final CurrentPrimary currentPrimary;

    /** The current primary; null if this replica is not the primary any more. */
    public interface CurrentPrimary {
        @Nullable
        Primary get();
    }

    public UpdateHandler(
            ReplicaContext host,
            ReplicaKey key,
            ReplicaLog log,
            PendingUpdates pending,
            Supplier<RequestOutcomeTable> table,
            CurrentPrimary leader) {
        this.host = host;
        this.key = key;
        this.log = log;
        this.pending = pending;
        this.table = table;
        this.currentPrimary = leader;
    }

    public static ActorFailure failure(ReplicaKey key, ErrorCode code, String message, long epoch) {
        return new ActorFailure(key.actor(), code, message, epoch);
    }

    public void admit(UpdateRequest request, UpdateRequest.ActorRows rows, PendingUpdates.Callback callback) {
        Primary primary = currentPrimary.get();
        if (primary == null || rows.epoch() != primary.epoch()) {
            long epoch = primary == null ? 0 : primary.epoch();
            callback.onFailure(failure(
                    key, ErrorCode.STALE_EPOCH, "epoch " + rows.epoch() + " sent, " + epoch + " installed", epoch));
            return;
        }
        Optional<UniserveException> refusal = primary.rejectionReason();
        if (refusal.isPresent()) {
            callback.onFailure(failure(key, refusal.get().code(), refusal.get().reason(), primary.epoch()));
            return;
        }
        long hash = RequestOutcomeTable.contentHash(request.function(), rows.rows());
        PendingUpdates.Update under = pending.find(request.request());
        if (under != null) {
            if (under.hash == hash) {
                pending.addWaiter(under, request.level(), true, primary.epoch(), callback);
            } else {
                callback.onFailure(otherContentFailure(primary));
            }
            return;
        }
        RequestOutcomeTable.Lookup answer = table.get().find(request.request(), request.attempt());
        if (answer instanceof RequestOutcomeTable.Lookup.Unknown) {
            startUpdate(primary, request, rows, hash, callback);
        } else if (answer instanceof RequestOutcomeTable.Lookup.Recorded recorded && recorded.hash() == hash) {
            pending.addRecordedWaiter(recorded, request.level(), callback);
            primary.advance();
        } else if (answer instanceof RequestOutcomeTable.Lookup.Recorded) {
            callback.onFailure(otherContentFailure(primary));
        } else {
            callback.onFailure(failure(
                    key,
                    ErrorCode.OUTCOME_EXPIRED,
                    "the outcome of request " + request.request() + " was dropped: read the data to find out",
                    primary.epoch()));
        }
    }

    private ActorFailure otherContentFailure(Primary primary) {
        return failure(
                key,
                ErrorCode.INVALID_ARGUMENT,
                "this request id was used with other content: use a new id",
                primary.epoch());
    }

    private void startUpdate(
            Primary primary,
            UpdateRequest request,
            UpdateRequest.ActorRows rows,
            long hash,
            PendingUpdates.Callback callback) {
        int size = rows.rows().size();
        if (!pending.hasRoom(size)) {
            callback.onFailure(
                    failure(key, ErrorCode.RESOURCE_EXHAUSTED, "too many updates wait: slow down", primary.epoch()));
            return;
        }
        if (!log.hasRoom(size)) {
            callback.onFailure(failure(
                    key, ErrorCode.LOG_FULL, "the actor's log has reached its limit of bytes", primary.epoch()));
            return;
        }
        PendingUpdates.Update update = pending.add(request.request(), hash, size);
        pending.addWaiter(update, request.level(), false, primary.epoch(), callback);
        host.env().engine().validate(key, request.function(), rows.rows(), valid -> {
            if (pending.find(request.request()) == update) {
                onValidated(update, request, rows, valid);
            }
        });
    }

    private void onValidated(
            PendingUpdates.Update update,
            UpdateRequest request,
            UpdateRequest.ActorRows rows,
            Outcome<RowStateDependency> valid) {
        Primary primary = currentPrimary.get();
        long epoch = primary == null ? 0 : primary.epoch();
        // the validated state may be older than the newest acknowledged one
        boolean conflict = valid instanceof Outcome.Err<RowStateDependency> err
                && err.error().code() == ErrorCode.CONFLICT;
        if (!conflict && valid instanceof Outcome.Err<RowStateDependency> err) {
            pending.failUnlogged(update, err.error().code(), err.error().reason(), epoch);
            return;
        }
        Optional<UniserveException> refusal = primary == null
                ? Optional.of(new UniserveException(ErrorCode.NOT_PRIMARY, "the primary changed: use the new one"))
                : primary.rejectionReason();
        if (primary == null || refusal.isPresent()) {
            ErrorCode code = refusal.map(UniserveException::code).orElse(ErrorCode.NOT_PRIMARY);
            pending.failUnlogged(
                    update, code, refusal.map(UniserveException::reason).orElse("not primary"), epoch);
            return;
        }
        boolean conditional = conflict || valid.value() == RowStateDependency.ON_STATE;
        AppendSequencer order = primary.appendOrder();
        if (conditional) {
            order.runExclusively(() -> appendIfConditionHolds(order, update, request, rows));
        } else {
            primary.beforeAppend(() -> order.append(() -> append(update, request, rows)));
        }
    }

    /** Checks the condition again, with the whole log applied and no other update in progress. */
    private void appendIfConditionHolds(
            AppendSequencer order, PendingUpdates.Update update, UpdateRequest request, UpdateRequest.ActorRows rows) {
        host.env().engine().validate(key, request.function(), rows.rows(), holds -> {
            Primary primary = currentPrimary.get();
            if (pending.find(request.request()) != update) {
                order.release();
            } else if (holds instanceof Outcome.Err<RowStateDependency> err) {
                pending.failUnlogged(
                        update, err.error().code(), err.error().reason(), primary == null ? 0 : primary.epoch());
                order.release();
            } else if (primary == null || primary.appendOrder() != order) {
                pending.failUnlogged(update, ErrorCode.NOT_PRIMARY, "the primary changed: use the new one", 0);
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
        Primary primary = currentPrimary.get();
        if (pending.find(request.request()) != update) {
            return;
        }
        if (primary == null) {
            pending.failUnlogged(update, ErrorCode.NOT_PRIMARY, "the primary changed: use the new one", 0);
            return;
        }
        Optional<UniserveException> refusal = primary.rejectionReason();
        if (refusal.isPresent()) {
            pending.failUnlogged(update, refusal.get().code(), refusal.get().reason(), primary.epoch());
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
