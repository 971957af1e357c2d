package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.replica.primary.PendingUpdates;
import io.uniserve.protocol.replica.primary.Primary;
import io.uniserve.protocol.replica.replication.Follower;
import io.uniserve.protocol.replica.storage.LogRetentionBounds;
import org.jspecify.annotations.Nullable;

/** Role of a replica in the installed epoch: primary or follower. */
final class ReplicaRole {
    private final ServerId self;
    private final PendingUpdates pending;
    private @Nullable ActorState state;
    private @Nullable Primary primary;
    private @Nullable Follower follower;

    ReplicaRole(ServerId self, PendingUpdates pending) {
        this.self = self;
        this.pending = pending;
    }

    /** Factory for the primary or follower of an epoch. */
    interface Factory {
        Primary newPrimary(TableMeta meta, ActorState state);

        Follower newFollower(ActorState state);
    }

    /** The row of the map that applies; null before there is one. */
    @Nullable
    ActorState state() {
        return state;
    }

    @Nullable
    Primary primary() {
        return primary;
    }

    /** Adopts a row of the map, which may be a newer one of the same epoch. */
    void applyState(ActorState next, int mapVersion, @Nullable TableMeta meta, Factory maker) {
        boolean sameEpoch = state != null && state.epoch() == next.epoch();
        state = next;
        if (sameEpoch) {
            if (primary != null) {
                primary.assign(next, mapVersion);
            }
            return;
        }
        endPreviousEpoch(next);
        if (next.primary().equals(self) && meta != null) {
            Primary leader = maker.newPrimary(meta, next);
            primary = leader;
            leader.start(mapVersion);
        } else {
            follower = maker.newFollower(next);
        }
    }

    private void endPreviousEpoch(ActorState next) {
        boolean led = primary != null;
        close();
        if (led && !next.primary().equals(self)) {
            pending.failAll(
                    ErrorCode.NOT_PRIMARY, "the primary changed during the update: use the new one", next.epoch());
        }
    }

    /** Ends the role until the next row is adopted. */
    void end(ReplicaKey key, String why) {
        close();
        state = null;
        pending.failAll(ErrorCode.NOT_PRIMARY, "replica " + key + " " + why, 0);
    }

    void close() {
        if (follower != null) {
            follower.close();
            follower = null;
        }
        if (primary != null) {
            primary.close();
            primary = null;
        }
    }

    /** Passes a message of this epoch's primary to the follower; returns false if it does not fit. */
    boolean replicate(Replicate request, long installed, Completion<PeerReply> completion) {
        Follower member = follower;
        ActorState now = state;
        if (member == null
                || now == null
                || request.epoch() != now.epoch()
                || now.epoch() != installed
                || !now.hasReplicaOn(self)
                || !request.primary().equals(now.primary())) {
            return false;
        }
        member.replicate(request, completion);
        return true;
    }

    /** Handles a completed write of the log. */
    void onDurable() {
        if (follower != null) {
            follower.onDurable();
        }
    }

    /** Handles progress, after which the primary may acknowledge more. */
    void advance() {
        if (primary != null) {
            primary.advance();
        }
    }

    void onAppendFailed(long from, UniserveException error) {
        if (follower != null) {
            follower.onAppendFailed(from, error);
        }
        if (primary != null) {
            primary.onAppendFailed(from);
        }
    }

    /** True for a primary that has started its epoch. It can serve reads without writing the log. */
    boolean isStartedPrimary() {
        return primary != null && primary.isEpochStarted();
    }

    /** True while the log here may be the wrong one of several that differ. */
    boolean isLogDisputed() {
        return primary != null && primary.isLogDisputed() || follower != null && follower.hasDiverged();
    }

    /** True when this is an in-sync replica of the installed epoch. */
    boolean isInSync(long installed) {
        ActorState now = state;
        return now != null && now.epoch() == installed && now.isr().contains(self);
    }

    /** The part of the log that only this replica still needs. */
    LogRetentionBounds retention() {
        return primary != null ? primary.retention() : follower != null ? follower.retention() : LogRetentionBounds.ALL;
    }

    /** State of a replica with this role and intact files. */
    ReplicaState replicaState() {
        ActorState now = state;
        if (now == null) {
            return ReplicaState.OPENING;
        }
        if (primary != null) {
            return primary.isAccepting() ? ReplicaState.PRIMARY : ReplicaState.PRIMARY_STARTING;
        }
        return now.isr().contains(self)
                ? ReplicaState.FOLLOWER
                : now.learners().contains(self) ? ReplicaState.LEARNER : ReplicaState.NONE;
    }
}
