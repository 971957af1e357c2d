package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.message.UpdateReply.ActorAck;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import java.util.function.BooleanSupplier;

/**
 * Entry point for updates and for messages of the primary. A request waits for a moment if it arrives too early: while its primary hands
 * over or starts its epoch, or before this server has installed the sender's epoch. A rejected sender would retry only after a pause, and
 * such pauses would dominate the cost of a move.
 */
final class RequestAdmission {
    private final ReplicaContext host;
    private final Inside inside;
    private final DeferredCalls updates;
    private final DeferredCalls messages;

    /** The replica that gets the requests. */
    record Inside(
            ReplicaKey key,
            ReplicaStorage files,
            ReplicaRole part,
            PendingUpdates pending,
            ReplicaHealth fitness,
            BooleanSupplier closed) {
        private boolean isClosed() {
            return closed.getAsBoolean();
        }

        private long installed() {
            return files.installed();
        }
    }

    RequestAdmission(ReplicaContext host, Inside inside) {
        this.host = host;
        this.inside = inside;
        Clock clock = host.env().clock();
        Timers timers = host.env().timers();
        updates = new DeferredCalls(
                clock, timers, Limits.UPDATES_HELD_PER_ACTOR_MAX, Limits.UPDATE_BYTES_HELD_PER_ACTOR_MAX);
        messages = new DeferredCalls(clock, timers, FollowerReplicator.WINDOW, Limits.REPLICATE_BYTES_MAX);
    }

    /** Handles an update for this actor. */
    void update(UpdateRequest request, ActorRows rows, PendingUpdates.Callback callback) {
        update(
                request,
                rows,
                now() + Math.min(request.remainingNanos(), 1_000_000 * Limits.UPDATE_HELD_MS_MAX),
                callback);
    }

    private void update(UpdateRequest request, ActorRows rows, long untilNanos, PendingUpdates.Callback callback) {
        letIn(request, rows, new PendingUpdates.Callback() {
            @Override
            public void acked(ActorAck ack) {
                callback.acked(ack);
            }

            @Override
            public void failed(ActorFailure failure) {
                boolean held = tooEarly(rows.epoch(), failure.code())
                        && updates.hold(
                                untilNanos,
                                rows.rows().size(),
                                () -> !waits(rows.epoch()),
                                () -> update(request, rows, untilNanos, callback));
                if (!held) {
                    callback.failed(failure);
                }
            }
        });
    }

    private void letIn(UpdateRequest request, ActorRows rows, PendingUpdates.Callback callback) {
        OpenReplica parts = inside.files().opened();
        EngineApplier engine = inside.files().engine();
        if (inside.part().primary() == null || parts == null || engine == null || inside.isClosed()) {
            callback.failed(UpdateHandler.failure(
                    inside.key(), ErrorCode.NOT_PRIMARY, "this server is not the actor's primary", inside.installed()));
        } else {
            new UpdateHandler(host, inside.key(), parts.log(), inside.pending(), engine::table, inside.part()::primary)
                    .admit(request, rows, callback);
        }
    }

    private boolean tooEarly(long epoch, ErrorCode code) {
        boolean mayPass =
                code == ErrorCode.UNAVAILABLE || code == ErrorCode.STALE_EPOCH || code == ErrorCode.NOT_PRIMARY;
        return mayPass && waits(epoch);
    }

    /** True while the fate of updates of this epoch is not known here yet. */
    private boolean waits(long epoch) {
        if (inside.isClosed()) {
            return false;
        }
        if (epoch > inside.installed()) {
            return true;
        }
        Primary primary = inside.part().primary();
        return primary != null && primary.epoch() == epoch && primary.settling();
    }

    /** Handles a message from the primary. */
    void replicate(Replicate request, Completion<PeerReply> completion) {
        boolean early = request.epoch() > inside.installed()
                && !inside.isClosed()
                && !inside.fitness().isDamaged()
                && messages.hold(
                        now() + host.config().retryNanos(),
                        request.entries().stream()
                                .mapToInt(entry -> entry.rows().size())
                                .sum(),
                        () -> inside.isClosed() || request.epoch() <= inside.installed(),
                        () -> answer(request, completion));
        if (!early) {
            answer(request, completion);
        }
    }

    private void answer(Replicate request, Completion<PeerReply> completion) {
        long installed = inside.installed();
        boolean takes = !inside.isClosed() && !inside.fitness().isDamaged();
        if (!takes || !inside.part().replicate(request, installed, completion)) {
            Replicated.Status status =
                    request.epoch() == installed ? Replicated.Status.NOT_READY : Replicated.Status.STALE_EPOCH;
            completion.done(Outcome.ok(new Replicated(status, installed, 0, 0, 0, host.incarnation())));
        }
    }

    /** True while a request waits. */
    boolean wantsTicks() {
        return !updates.isEmpty() || !messages.isEmpty();
    }

    /** Checks the waiting requests after a change of the replica's role or after some time. */
    void look() {
        messages.look();
        updates.look();
    }

    /** Runs all waiting requests, after the replica was closed. */
    void close() {
        messages.close();
        updates.close();
    }

    private long now() {
        return host.env().clock().nanos();
    }
}
