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
 * A replica's part in proving that copies are equal: it gives its digest at a log position, compares the others' where it leads,
 * and is set aside where it differs. Set aside means that it serves nothing, says that its data are lost and, once the coordinator
 * names it a learner, keeps its files for a look and begins anew.
 */
public final class CopyCheck {
    private static final Logger LOG = LoggerFactory.getLogger(CopyCheck.class);

    private final ReplicaContext host;
    private final Inside inside;
    private @Nullable CopyComparison comparison;

    /**
     * The replica that is checked.
     *
     * @param isClosed true while it plays no part
     * @param changed told when what readers may have of it has changed
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

    /** The primary's verdict on this copy. */
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
                                inside.key() + " on " + host.self() + " is no copy of epoch " + verdict.epoch())));
    }

    /** This copy differs from the one that is right. */
    void setAside(String reason) {
        ActorState at = inside.part().state();
        if (at == null || inside.closed() || inside.fitness().isDamaged()) {
            return;
        }
        LOG.error(
                "{}: {}; this copy serves nothing more and is made anew, its files are kept under quarantine/",
                inside.key(),
                reason);
        inside.fitness().damaged(reason, at.epoch());
        inside.part().end(inside.key(), "differs from the other copies");
        inside.changed().run();
    }

    /** The digest of this copy right after an index, for the primary of this epoch. */
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

    /** Compares the digests of the in-sync copies, where this is the primary. One comparison at a time. */
    public void compare(Completion<PeerReply> completion) {
        OpenReplica parts = inside.files().opened();
        Primary leader = inside.part().primary();
        ActorState at = inside.part().state();
        CopyComparison running = comparison;
        if (parts == null || leader == null || at == null || inside.closed() || !leader.accepting()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "the primary of " + inside.key() + " is not ready: try again")));
        } else if (running != null && !running.over()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "copies of " + inside.key() + " are being compared: try again")));
        } else {
            CopyComparison next = new CopyComparison(host, inside.key(), at, parts.log(), this, completion);
            comparison = next;
            next.start();
        }
    }

    /** True while this is the primary of that epoch. */
    boolean leads(long epoch) {
        ActorState at = inside.part().state();
        return !inside.closed() && inside.part().primary() != null && at != null && at.epoch() == epoch;
    }
}
