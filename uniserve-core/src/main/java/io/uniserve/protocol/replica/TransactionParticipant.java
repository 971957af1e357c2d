package io.uniserve.protocol.replica;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowCondition;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Vote;
import io.uniserve.protocol.message.PeerRequest.Decide;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.UpdateReply.ActorAck;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Participant of atomic updates: the primary of one actor (docs/protocol.md, section 3). Its vote needs the same as an acknowledgement of
 * level ISR: every in-sync replica has the PREPARE on disk, and every removed replica is fenced. A version is prepared at most once.
 * Requests for versions up to the newest one seen are answered from the log.
 */
final class TransactionParticipant {
    private final ReplicaContext host;
    private final ReplicaKey key;
    private final ReplicaLog log;
    private final PendingUpdates pending;
    private final VersionIndex trail;
    private final RejectionLogger rejections;
    private final UpdateHandler.LeaderNow leader;

    TransactionParticipant(
            ReplicaContext host,
            ReplicaKey key,
            ReplicaLog log,
            PendingUpdates pending,
            VersionIndex trail,
            RejectionLogger rejections,
            UpdateHandler.LeaderNow leader) {
        this.host = host;
        this.key = key;
        this.log = log;
        this.pending = pending;
        this.trail = trail;
        this.rejections = rejections;
        this.leader = leader;
    }

    void prepare(Prepare request, Completion<PeerReply> completion) {
        if (request.previous() != 0 && trail.end().open() == request.previous()) {
            // the manager has read this commit in the transaction log: it is logged before the PREPARE
            decide(new Decide(request.table(), request.key(), request.previous(), true), told -> {});
        }
        Vote early = early(request, completion);
        if (early != null) {
            completion.done(Outcome.ok(early));
        } else if (trail.end().newest() < request.version()) {
            long bytes = request.batches().stream()
                    .mapToLong(batch -> batch.rows().size())
                    .sum();
            if (!log.hasRoom(bytes)) { // reject before rows are decoded, which costs time and memory
                completion.done(Outcome.ok(full(request.epoch())));
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
    private @Nullable Vote early(Prepare request, Completion<PeerReply> completion) {
        Primary primary = leader.get();
        if (primary == null || primary.epoch() != request.epoch()) {
            return Vote.later(primary == null ? 0 : primary.epoch(), "another epoch is installed");
        }
        Optional<UniserveException> refusal = primary.refusal();
        if (refusal.isPresent()) {
            return Vote.later(
                    primary.epoch(), refusal.get().code(), refusal.get().reason());
        }
        VersionState end = trail.end();
        if (end.refused() == request.version()) {
            return new Vote(
                    Vote.Kind.NO,
                    primary.epoch(),
                    culprit(request),
                    "the engine cannot apply the rows, so all replicas refuse them");
        }
        Vote rejected = end.newest() < request.version() ? rejections.knownRejection(request, primary.epoch()) : null;
        if (rejected != null) {
            return rejected;
        }
        if (end.open() == request.version()) {
            vote(primary, end.openIndex(), request, completion);
            return null;
        }
        if (request.version() <= end.newest()) {
            return new Vote(Vote.Kind.DECIDED, primary.epoch(), null, "");
        }
        if (request.batches().isEmpty()) {
            return new Vote(Vote.Kind.ROWS, primary.epoch(), null, "");
        }
        return end.open() == 0
                ? null
                : Vote.later(primary.epoch(), "version " + end.open() + " is not decided at this actor yet");
    }

    private static Vote full(long epoch) {
        return Vote.later(epoch, ErrorCode.LOG_FULL, "the actor's log has reached its limit of bytes");
    }

    /** The request whose rows the engine rejects, if that is certain. */
    private static @Nullable RequestId culprit(Prepare request) {
        return request.batches().size() == 1 ? request.batches().get(0).request() : null;
    }

    /** Validates the rows of one request after the other. */
    private void validate(Prepare request, int at, Bytes rows, Completion<PeerReply> completion) {
        if (at == request.batches().size()) {
            Primary primary = leader.get();
            if (primary == null) {
                completion.done(Outcome.ok(Vote.later(0, "the primary changed")));
            } else {
                primary.beforeAppend(() -> append(request, rows, completion));
            }
            return;
        }
        BatchRows batch = request.batches().get(at);
        host.env().engine().validate(key, batch.function(), batch.rows(), valid -> {
            // a conflict is valid only if the whole log is applied
            if (valid instanceof Outcome.Err<RowCondition> err && err.error().code() != ErrorCode.CONFLICT) {
                completion.done(Outcome.ok(vote(request, batch, err.error())));
            } else if (valid instanceof Outcome.Ok<RowCondition> ok && ok.value() == RowCondition.NONE) {
                validate(request, at + 1, rows, completion);
            } else {
                conditional(request, rows, completion);
            }
        });
    }

    /**
     * Validates rows with a condition. The condition holds in one state, so the version must not have rows of other requests, and the
     * engine must have applied the whole log. No other version is open at this actor until this one is logged.
     */
    private void conditional(Prepare request, Bytes rows, Completion<PeerReply> completion) {
        if (request.batches().size() > 1) {
            completion.done(Outcome.ok(new Vote(
                    Vote.Kind.NO,
                    request.epoch(),
                    null,
                    "rows with a condition need a version without other updates")));
            return;
        }
        Primary primary = leader.get();
        if (primary == null) {
            completion.done(Outcome.ok(Vote.later(0, "the primary changed")));
            return;
        }
        BatchRows batch = request.batches().get(0);
        AppendOrder order = primary.order();
        order.exclusively(() -> host.env().engine().validate(key, batch.function(), batch.rows(), holds -> {
            if (holds instanceof Outcome.Err<RowCondition> err) {
                completion.done(Outcome.ok(vote(request, batch, err.error())));
                order.release();
            } else if (leader.get() != primary) {
                completion.done(Outcome.ok(Vote.later(0, "the primary changed")));
                order.release();
            } else {
                primary.beforeAppend(() -> {
                    append(request, rows, completion);
                    order.release();
                });
            }
        }));
    }

    private static Vote vote(Prepare request, BatchRows batch, UniserveException error) {
        return Rejection.isFor(error.code())
                ? new Vote(Vote.Kind.NO, request.epoch(), batch.request(), error.code() + " " + error.reason())
                : Vote.later(request.epoch(), error.reason());
    }

    /** Logs the PREPARE after another check, because the state may have changed during validation. */
    private void append(Prepare request, Bytes rows, Completion<PeerReply> completion) {
        Vote early = early(request, completion);
        Primary primary = leader.get();
        if (early != null) {
            completion.done(Outcome.ok(early));
        } else if (primary != null && trail.end().newest() < request.version()) {
            if (!log.hasRoom(rows.size())) {
                completion.done(Outcome.ok(full(primary.epoch())));
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
            vote(primary, entry.index(), request, completion);
        }
    }

    private void vote(Primary primary, long index, Prepare request, Completion<PeerReply> completion) {
        long epoch = primary.epoch();
        pending.awaitStable(index, epoch, new PendingUpdates.Callback() {
            @Override
            public void acked(ActorAck ack) {
                completion.done(Outcome.ok(Vote.yes(epoch)));
            }

            @Override
            public void failed(ActorFailure failure) {
                boolean refused = failure.code() == ErrorCode.UPDATE_REFUSED;
                completion.done(Outcome.ok(
                        refused
                                ? new Vote(Vote.Kind.NO, epoch, culprit(request), failure.message())
                                : Vote.later(failure.epoch(), failure.message())));
            }
        });
        primary.advance();
    }

    /** Handles a decision of the transaction log. Replies when every in-sync replica has logged it. */
    void decide(Decide request, Completion<PeerReply> completion) {
        Primary primary = leader.get();
        if (primary == null || !primary.mayDecide()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.NOT_PRIMARY, "this server is not the actor's primary, or is not ready: retry later")));
            return;
        }
        VersionState end = trail.end();
        boolean here = end.open() == request.version();
        if (!here && end.newest() >= request.version()) {
            decided(primary, log.lastIndex(), completion);
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
        Primary primary = leader.get();
        VersionState end = trail.end();
        boolean open = end.open() == request.version();
        boolean never = end.newest() < request.version() && end.open() == 0 && !request.commit();
        if (primary == null || !primary.mayDecide() || !open && !never) {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.UNAVAILABLE, "the actor's state changed meanwhile: retry")));
            return;
        }
        LogEntry entry = LogEntry.decide(primary.epoch(), log.lastIndex() + 1, request.version(), request.commit());
        primary.append(entry);
        decided(primary, entry.index(), completion);
    }

    private void decided(Primary primary, long index, Completion<PeerReply> completion) {
        pending.awaitStable(index, primary.epoch(), new PendingUpdates.Callback() {
            @Override
            public void acked(ActorAck ack) {
                completion.done(Outcome.ok(new PeerReply.Ack()));
            }

            @Override
            public void failed(ActorFailure failure) {
                completion.done(Outcome.err(new UniserveException(failure.code(), failure.message())));
            }
        });
        primary.advance();
    }
}
