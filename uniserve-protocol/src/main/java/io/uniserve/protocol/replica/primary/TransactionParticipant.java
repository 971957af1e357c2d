package io.uniserve.protocol.replica.primary;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowStateDependency;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Vote;
import io.uniserve.protocol.message.PeerRequest.Decide;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.replication.AppendSequencer;
import io.uniserve.protocol.replica.state.Rejection;
import io.uniserve.protocol.replica.state.VersionIndex;
import io.uniserve.protocol.replica.state.VersionState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Participant of atomic updates: the primary of one actor (docs/protocol.md, section 3). Its vote needs the same as an acknowledgement of
 * level ISR: every in-sync replica has the PREPARE on disk, and every removed replica is fenced. A version is prepared at most once.
 * Requests for versions up to the newest one seen are answered from the log.
 */
public final class TransactionParticipant {
    private final ReplicaContext host;
    private final ReplicaKey key;
    private final ReplicaLog log;
    private final PendingUpdates pending;
    private final VersionIndex versionIndex;
    private final RejectionLogger rejections;
    private final UpdateHandler.CurrentPrimary currentPrimary;

    public TransactionParticipant(
            ReplicaContext host,
            ReplicaKey key,
            ReplicaLog log,
            PendingUpdates pending,
            VersionIndex trail,
            RejectionLogger rejections,
            UpdateHandler.CurrentPrimary leader) {
        this.host = host;
        this.key = key;
        this.log = log;
        this.pending = pending;
        this.versionIndex = trail;
        this.rejections = rejections;
        this.currentPrimary = leader;
    }

    public void prepare(Prepare request, Completion<PeerReply> completion) {
        if (request.previous() != 0 && versionIndex.stateAtEnd().open() == request.previous()) {
            // the manager has read this commit in the transaction log: it is logged before the PREPARE
            decide(new Decide(request.table(), request.key(), request.previous(), true), told -> {});
        }
        Vote early = earlyVote(request, completion);
        if (early != null) {
            completion.done(Outcome.ok(early));
        } else if (versionIndex.stateAtEnd().newest() < request.version()) {
            long bytes = request.batches().stream()
                    .mapToLong(batch -> batch.rows().size())
                    .sum();
            if (!log.hasRoom(bytes)) { // reject before rows are decoded, which costs time and memory
                completion.done(Outcome.ok(logFullVote(request.epoch())));
                return;
            }
            // encoded once, so that the same bytes are validated, logged and applied
            Bytes rows = BatchRows.encode(request.batches());
            Prepare own = new Prepare(
                    request.table(),
                    request.key(),
                    request.epoch(),
                    request.version(),
                    request.previous(),
                    request.participants(),
                    BatchRows.LIST.decode(rows),
                    Optional.empty());
            validate(own, 0, rows, completion);
        }
    }

    /** The vote if it is already certain. Null if the procedure continues, or waits for a running prepare. */
    private @Nullable Vote earlyVote(Prepare request, Completion<PeerReply> completion) {
        Primary primary = currentPrimary.get();
        if (primary == null || primary.epoch() != request.epoch()) {
            return Vote.retry(primary == null ? 0 : primary.epoch(), "another epoch is installed");
        }
        if (request.version() < primary.firstVersion()) { // started before the actor's chunk was made
            return new Vote(Vote.Kind.ALREADY_DECIDED, primary.epoch(), null, "");
        }
        Optional<UniserveException> refusal = primary.rejectionReason();
        if (refusal.isPresent()) {
            return Vote.retry(
                    primary.epoch(), refusal.get().code(), refusal.get().reason());
        }
        VersionState end = versionIndex.stateAtEnd();
        if (end.refused() == request.version()) {
            return new Vote(
                    Vote.Kind.NO,
                    primary.epoch(),
                    rejectedRequest(request),
                    "the engine cannot apply the rows, so all replicas refuse them");
        }
        Vote rejected = end.newest() < request.version() ? rejections.knownRejection(request, primary.epoch()) : null;
        if (rejected != null) {
            return rejected;
        }
        if (end.open() == request.version()) {
            voteWhenReplicated(primary, end.openIndex(), request, completion);
            return null;
        }
        if (request.version() <= end.newest()) {
            return new Vote(Vote.Kind.ALREADY_DECIDED, primary.epoch(), null, "");
        }
        if (request.batches().isEmpty()) {
            return new Vote(Vote.Kind.ROWS_MISSING, primary.epoch(), null, "");
        }
        return end.open() == 0
                ? null
                : Vote.retry(primary.epoch(), "version " + end.open() + " is not decided at this actor yet");
    }

    private static Vote logFullVote(long epoch) {
        return Vote.retry(epoch, ErrorCode.LOG_FULL, "the actor's log has reached its limit of bytes");
    }

    /** The request with the rejected rows, if it is certain. */
    private static @Nullable RequestId rejectedRequest(Prepare request) {
        return request.batches().size() == 1 ? request.batches().get(0).request() : null;
    }

    /** Validates the rows of one request after the other. */
    private void validate(Prepare request, int at, Bytes rows, Completion<PeerReply> completion) {
        if (at == request.batches().size()) {
            Primary primary = currentPrimary.get();
            if (primary == null) {
                completion.done(Outcome.ok(Vote.retry(0, "the primary changed")));
            } else {
                primary.beforeAppend(() -> append(request, rows, completion));
            }
            return;
        }
        BatchRows batch = request.batches().get(at);
        host.env().engine().validate(key, batch.function(), batch.rows(), valid -> {
            // a conflict is valid only if the whole log is applied
            if (valid instanceof Outcome.Err<RowStateDependency> err
                    && err.error().code() != ErrorCode.CONFLICT) {
                completion.done(Outcome.ok(voteForError(request, batch, err.error())));
            } else if (valid instanceof Outcome.Ok<RowStateDependency> ok && ok.value() == RowStateDependency.NONE) {
                validate(request, at + 1, rows, completion);
            } else {
                validateConditional(request, rows, completion);
            }
        });
    }

    /**
     * Validates rows with a condition. The condition holds in one state, so the version must not have rows of other requests, and the
     * engine must have applied the whole log. No other version is open at this actor until this one is logged. A PREPARE that was repeated may
     * have been logged while this one waited for its turn: its own prepared rows must not count in its condition.
     */
    private void validateConditional(Prepare request, Bytes rows, Completion<PeerReply> completion) {
        if (request.batches().size() > 1) {
            completion.done(Outcome.ok(new Vote(
                    Vote.Kind.NO,
                    request.epoch(),
                    null,
                    "rows with a condition need a version without other updates")));
            return;
        }
        Primary primary = currentPrimary.get();
        if (primary == null) {
            completion.done(Outcome.ok(Vote.retry(0, "the primary changed")));
            return;
        }
        AppendSequencer order = primary.appendOrder();
        order.runExclusively(() -> {
            VersionState end = versionIndex.stateAtEnd();
            if (end.open() != 0 || end.newest() >= request.version()) {
                append(request, rows, completion); // answers without another entry
                order.release();
            } else {
                validateExclusively(request, rows, primary, completion);
            }
        });
    }

    private void validateExclusively(Prepare request, Bytes rows, Primary primary, Completion<PeerReply> completion) {
        BatchRows batch = request.batches().get(0);
        AppendSequencer order = primary.appendOrder();
        host.env().engine().validate(key, batch.function(), batch.rows(), holds -> {
            if (holds instanceof Outcome.Err<RowStateDependency> err) {
                completion.done(Outcome.ok(voteForError(request, batch, err.error())));
                order.release();
            } else if (currentPrimary.get() != primary) {
                completion.done(Outcome.ok(Vote.retry(0, "the primary changed")));
                order.release();
            } else {
                primary.beforeAppend(() -> {
                    append(request, rows, completion);
                    order.release();
                });
            }
        });
    }

    private static Vote voteForError(Prepare request, BatchRows batch, UniserveException error) {
        return Rejection.isRowError(error.code())
                ? new Vote(Vote.Kind.NO, request.epoch(), batch.request(), error.code() + " " + error.reason())
                : Vote.retry(request.epoch(), error.reason());
    }

    /** Logs the PREPARE after another check, because the state may have changed during validation. */
    private void append(Prepare request, Bytes rows, Completion<PeerReply> completion) {
        Vote early = earlyVote(request, completion);
        Primary primary = currentPrimary.get();
        if (early != null) {
            completion.done(Outcome.ok(early));
        } else if (primary != null && versionIndex.stateAtEnd().newest() < request.version()) {
            if (!log.hasRoom(rows.size())) {
                completion.done(Outcome.ok(logFullVote(primary.epoch())));
                return;
            }
            LogEntry entry = LogEntry.prepare(
                    primary.epoch(),
                    log.lastIndex() + 1,
                    request.version(),
                    request.previous(),
                    request.participants(),
                    rows);
            primary.append(entry);
            voteWhenReplicated(primary, entry.index(), request, completion);
        }
    }

    private void voteWhenReplicated(Primary primary, long index, Prepare request, Completion<PeerReply> completion) {
        long epoch = primary.epoch();
        pending.awaitHighWatermark(index, epoch, new PendingUpdates.Callback() {
            @Override
            public void onAck(ActorAck ack) {
                completion.done(Outcome.ok(Vote.yes(epoch)));
            }

            @Override
            public void onFailure(ActorFailure failure) {
                boolean refused = failure.code() == ErrorCode.UPDATE_REFUSED;
                completion.done(Outcome.ok(
                        refused
                                ? new Vote(Vote.Kind.NO, epoch, rejectedRequest(request), failure.message())
                                : Vote.retry(failure.epoch(), failure.message())));
            }
        });
        primary.advance();
    }

    /** Handles a decision of the transaction log. Replies when every in-sync replica has logged it. */
    public void decide(Decide request, Completion<PeerReply> completion) {
        Primary primary = currentPrimary.get();
        if (primary == null || !primary.canLogDecision()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.NOT_PRIMARY, "this server is not the actor's primary, or is not ready: retry later")));
            return;
        }
        VersionState end = versionIndex.stateAtEnd();
        boolean here = end.open() == request.version();
        if (!here && end.newest() >= request.version()) {
            replyWhenReplicated(primary, log.lastIndex(), completion);
        } else if (!here && request.commit()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "version " + request.version() + " is not prepared here: retry later")));
        } else if (end.open() != 0 && !here) {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.UNAVAILABLE, "version " + end.open() + " is open: retry later")));
        } else {
            primary.beforeAppend(() -> appendDecision(request, completion));
        }
    }

    /** Logs a decision. An abort of a version that was never prepared here is logged too, so that a late PREPARE is recognized. */
    private void appendDecision(Decide request, Completion<PeerReply> completion) {
        Primary primary = currentPrimary.get();
        VersionState end = versionIndex.stateAtEnd();
        boolean open = end.open() == request.version();
        boolean never = end.newest() < request.version() && end.open() == 0 && !request.commit();
        if (primary == null || !primary.canLogDecision() || !open && !never) {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.UNAVAILABLE, "the actor's state changed meanwhile: retry")));
            return;
        }
        LogEntry entry = LogEntry.decide(primary.epoch(), log.lastIndex() + 1, request.version(), request.commit());
        primary.append(entry);
        replyWhenReplicated(primary, entry.index(), completion);
    }

    private void replyWhenReplicated(Primary primary, long index, Completion<PeerReply> completion) {
        pending.awaitHighWatermark(index, primary.epoch(), new PendingUpdates.Callback() {
            @Override
            public void onAck(ActorAck ack) {
                completion.done(Outcome.ok(new PeerReply.Ack()));
            }

            @Override
            public void onFailure(ActorFailure failure) {
                completion.done(Outcome.err(new UniserveException(failure.code(), failure.message())));
            }
        });
        primary.advance();
    }
}
