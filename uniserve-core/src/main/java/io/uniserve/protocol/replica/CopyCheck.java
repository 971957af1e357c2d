package io.uniserve.protocol.replica;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Comparison of a replica's contents with its other copies. It provides the digest at a log position, and compares all digests if it is the
 * primary. A copy that differs is set aside: it serves nothing and reports its data as lost. Once the coordinator names it a learner, its
 * files move to quarantine and it starts anew.
 */
public final class CopyCheck implements CopyComparison.LocalCopy {
    private static final Logger LOG = LoggerFactory.getLogger(CopyCheck.class);

    private final ReplicaContext host;
    private final Inside inside;
    private @Nullable CopyComparison comparison;

    /**
     * The checked replica.
     *
     * @param isClosed true while the replica is inactive
     * @param changed called when its state for readers has changed
     */
    record Inside(
            ReplicaKey key,
            ReplicaStorage files,
            ReplicaRole part,
            ReplicaHealth fitness,
            BooleanSupplier isClosed,
            Runnable changed) {
        private boolean closed() {
            return isClosed.getAsBoolean();
        }
    }

    CopyCheck(ReplicaContext host, Inside inside) {
        this.host = host;
        this.inside = inside;
    }

    /** Handles the primary's verdict that this copy differs. */
    public void setAside(PeerRequest.SetAside verdict, Completion<PeerReply> completion) {
        ActorState at = inside.part().state();
        boolean mine = at != null
                && !inside.closed()
                && verdict.server().equals(host.self())
                && verdict.epoch() == at.epoch()
                && verdict.epoch() == inside.files().installed()
                && verdict.primary().equals(at.primary())
                && !at.primary().equals(host.self());
        if (mine) {
            setAside(verdict.reason());
        }
        completion.done(
                mine || inside.fitness().isDamaged()
                        ? Outcome.ok(new PeerReply.Ack())
                        : Outcome.err(new UniserveException(
                                ErrorCode.STALE_EPOCH,
                                inside.key() + " on " + host.self() + " is no follower in epoch " + verdict.epoch())));
    }

    /** Sets this copy aside, as it differs from the right one. */
    @Override
    public void setAside(String reason) {
        ActorState at = inside.part().state();
        if (at == null || inside.closed() || inside.fitness().isDamaged()) {
            return;
        }
        LOG.error(
                "{}: {}; this copy is out of service and will be rebuilt, its files move to quarantine/",
                inside.key(),
                reason);
        inside.fitness().damaged(reason, at.epoch());
        inside.part().end(inside.key(), "differs from the other copies");
        inside.changed().run();
    }

    /** The digest of this copy at an index, for the primary of this epoch. */
    @Override
    public void digest(PeerRequest.TakeDigest request, Completion<PeerReply> completion) {
        OpenReplica parts = inside.files().opened();
        EngineApplier engine = inside.files().engine();
        ActorState at = inside.part().state();
        if (parts == null
                || engine == null
                || at == null
                || inside.closed()
                || inside.fitness().isDamaged()
                || request.epoch() != at.epoch()
                || request.epoch() != inside.files().installed()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    inside.key() + " on " + host.self() + " is not ready in epoch " + request.epoch())));
            return;
        }
        long until = host.env().clock().nanos()
                + CopyComparison.REACH_RETRIES * host.config().retryNanos();
        engine.digest(request.index(), until, taken -> {
            if (taken instanceof Outcome.Ok<Bytes> ok) {
                completion.done(Outcome.ok(
                        new PeerReply.Digested(request.index(), parts.log().hashAt(request.index()), ok.value())));
            } else {
                completion.done(Outcome.err(taken.error()));
            }
        });
    }

    /** Compares the digests of the in-sync copies if this is the primary. Only one comparison runs at a time. */
    public void compare(Completion<PeerReply> completion) {
        OpenReplica parts = inside.files().opened();
        Primary leader = inside.part().primary();
        ActorState at = inside.part().state();
        CopyComparison running = comparison;
        if (parts == null || leader == null || at == null || inside.closed() || !leader.accepting()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "the primary of " + inside.key() + " is not ready: retry later")));
        } else if (running != null && !running.over()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "copies of " + inside.key() + " are already being compared: retry later")));
        } else {
            CopyComparison next = new CopyComparison(host, inside.key(), at, parts.log(), this, completion);
            comparison = next;
            next.start();
        }
    }

    /** True while this is the primary of that epoch. */
    @Override
    public boolean leads(long epoch) {
        ActorState at = inside.part().state();
        return !inside.closed() && inside.part().primary() != null && at != null && at.epoch() == epoch;
    }
}
