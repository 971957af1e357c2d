package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.context.ReplicaHealth;
import io.uniserve.protocol.replica.engine.EngineApplier;
import io.uniserve.protocol.replica.primary.PendingUpdates;
import io.uniserve.protocol.replica.primary.Primary;
import io.uniserve.protocol.replica.primary.UpdateHandler;
import io.uniserve.protocol.replica.replication.FollowerLogSender;
import io.uniserve.protocol.replica.storage.OpenReplicaFiles;
import java.util.function.BooleanSupplier;

/**
 * Entry point for updates and for messages of the primary. A request waits briefly if it arrives too early: while its primary hands over or
 * starts its epoch, or before this server has installed the sender's epoch. A rejected sender would retry only after a pause, and such
 * pauses would dominate the cost of a move.
 */
final class RequestAdmission {
    private final ReplicaContext host;
    private final TargetReplica replica;
    private final DeferredCallQueue updates;
    private final DeferredCallQueue messages;

    /** The replica that gets the requests. */
    record TargetReplica(
            ReplicaKey key,
            ReplicaStorage files,
            ReplicaRole role,
            PendingUpdates pending,
            ReplicaHealth health,
            BooleanSupplier closed) {
        private boolean isClosed() {
            return closed.getAsBoolean();
        }

        private long installed() {
            return files.installedEpoch();
        }
    }

    RequestAdmission(ReplicaContext host, TargetReplica inside) {
        this.host = host;
        this.replica = inside;
        Clock clock = host.env().clock();
        Timers timers = host.env().timers();
        updates = new DeferredCallQueue(
                clock, timers, Limits.UPDATES_HELD_PER_ACTOR_MAX, Limits.UPDATE_BYTES_HELD_PER_ACTOR_MAX);
        messages = new DeferredCallQueue(clock, timers, FollowerLogSender.WINDOW, Limits.REPLICATE_BYTES_MAX);
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
        admit(request, rows, new PendingUpdates.Callback() {
            @Override
            public void onAck(ActorAck ack) {
                callback.onAck(ack);
            }

            @Override
            public void onFailure(ActorFailure failure) {
                boolean held = isTooEarly(rows.epoch(), failure.code())
                        && updates.defer(
                                untilNanos,
                                rows.rows().size(),
                                () -> !isEpochPending(rows.epoch()),
                                () -> update(request, rows, untilNanos, callback));
                if (!held) {
                    callback.onFailure(failure);
                }
            }
        });
    }

    private void admit(UpdateRequest request, ActorRows rows, PendingUpdates.Callback callback) {
        OpenReplicaFiles parts = replica.files().openFiles();
        EngineApplier engine = replica.files().engine();
        if (replica.role().primary() == null || parts == null || engine == null || replica.isClosed()) {
            callback.onFailure(UpdateHandler.failure(
                    replica.key(),
                    ErrorCode.NOT_PRIMARY,
                    "this server is not the actor's primary",
                    replica.installed()));
        } else {
            new UpdateHandler(
                            host,
                            replica.key(),
                            parts.log(),
                            replica.pending(),
                            engine::requestTable,
                            replica.role()::primary)
                    .admit(request, rows, callback);
        }
    }

    private boolean isTooEarly(long epoch, ErrorCode code) {
        boolean mayPass =
                code == ErrorCode.UNAVAILABLE || code == ErrorCode.STALE_EPOCH || code == ErrorCode.NOT_PRIMARY;
        return mayPass && isEpochPending(epoch);
    }

    /** True while the fate of updates of this epoch is not known here yet. */
    private boolean isEpochPending(long epoch) {
        if (replica.isClosed()) {
            return false;
        }
        if (epoch > replica.installed()) {
            return true;
        }
        Primary primary = replica.role().primary();
        return primary != null && primary.epoch() == epoch && primary.isTemporarilyRejecting();
    }

    /** Handles a message from the primary. */
    void replicate(Replicate request, Completion<PeerReply> completion) {
        boolean early = request.epoch() > replica.installed()
                && !replica.isClosed()
                && !replica.health().isDamaged()
                && messages.defer(
                        now() + host.config().retryNanos(),
                        request.entries().stream()
                                .mapToInt(entry -> entry.rows().size())
                                .sum(),
                        () -> replica.isClosed() || request.epoch() <= replica.installed(),
                        () -> replicateNow(request, completion));
        if (!early) {
            replicateNow(request, completion);
        }
    }

    private void replicateNow(Replicate request, Completion<PeerReply> completion) {
        long installed = replica.installed();
        boolean takes = !replica.isClosed() && !replica.health().isDamaged();
        if (!takes || !replica.role().replicate(request, installed, completion)) {
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
    void checkDeferred() {
        messages.scheduleCheck();
        updates.scheduleCheck();
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
