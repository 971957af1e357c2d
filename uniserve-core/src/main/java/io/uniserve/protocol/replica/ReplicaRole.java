package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest.Replicate;
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
    interface Maker {
        Primary primary(TableMeta meta, ActorState state);

        Follower follower(ActorState state);
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
    void play(ActorState next, int mapVersion, @Nullable TableMeta meta, Maker maker) {
        boolean sameEpoch = state != null && state.epoch() == next.epoch();
        state = next;
        if (sameEpoch) {
            if (primary != null) {
                primary.assign(next, mapVersion);
            }
            return;
        }
        leave(next);
        if (next.primary().equals(self) && meta != null) {
            Primary leader = maker.primary(meta, next);
            primary = leader;
            leader.start(mapVersion);
        } else {
            follower = maker.follower(next);
        }
    }

    private void leave(ActorState next) {
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
                || !now.hosts(self)
                || !request.primary().equals(now.primary())) {
            return false;
        }
        member.replicate(request, completion);
        return true;
    }

    /** Handles a completed write of the log. */
    void durable() {
        if (follower != null) {
            follower.durable();
        }
    }

    /** Handles progress, after which the primary may acknowledge more. */
    void advance() {
        if (primary != null) {
            primary.advance();
        }
    }

    void appendFailed(long from, UniserveException error) {
        if (follower != null) {
            follower.appendFailed(from, error);
        }
        if (primary != null) {
            primary.appendFailed(from);
        }
    }

    /** True for a primary that has started its epoch. It can serve reads without writing the log. */
    boolean leads() {
        return primary != null && primary.matched();
    }

    /** True while the log here may be the wrong one of several that differ. */
    boolean disputed() {
        return primary != null && primary.disputed() || follower != null && follower.differs();
    }

    /** True when this is an in-sync replica of the installed epoch. */
    boolean inSync(long installed) {
        ActorState now = state;
        return now != null && now.epoch() == installed && now.isr().contains(self);
    }

    /** The part of the log that only this replica still needs. */
    LogRetention retention() {
        return primary != null ? primary.retention() : follower != null ? follower.retention() : LogRetention.ALL;
    }

    /** Name of the role in reports. */
    String name() {
        ActorState now = state;
        if (now == null) {
            return "opening";
        }
        if (primary != null) {
            return primary.accepting() ? PeerReply.ReplicaLoad.PRIMARY : "primary-starting";
        }
        return now.isr().contains(self) ? "follower" : now.learners().contains(self) ? "learner" : "none";
    }
}
