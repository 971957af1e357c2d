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
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.context.ReplicaHealth;
import io.uniserve.protocol.replica.engine.EngineApplier;
import io.uniserve.protocol.replica.primary.Primary;
import io.uniserve.protocol.replica.replication.CopyComparison;
import io.uniserve.protocol.replica.storage.OpenReplicaFiles;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Comparison of a replica's contents with its other copies. It provides the digest at a log position, and compares all digests if it is the
 * primary. A copy that differs is set aside: it serves nothing and reports its data as lost. Once the coordinator names it a learner, its
 * files move to quarantine and it restarts empty.
 */
public final class ReplicaCopyVerifier implements CopyComparison.LocalCopy {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaCopyVerifier.class);

    private final ReplicaContext host;
    private final CheckedReplica checkedReplica;
    private @Nullable CopyComparison comparison;

    /**
     * The checked replica.
     *
     * @param isClosed true while the replica is inactive
     * @param onGateChanged called when its state for readers has changed
     */
    record CheckedReplica(
            ReplicaKey key,
            ReplicaStorage files,
            ReplicaRole role,
            ReplicaHealth health,
            BooleanSupplier isClosed,
            Runnable onGateChanged) {
        private boolean closed() {
            return isClosed.getAsBoolean();
        }
    }

    ReplicaCopyVerifier(ReplicaContext host, CheckedReplica inside) {
        this.host = host;
        this.checkedReplica = inside;
    }

    /** Handles the primary's verdict that this copy differs. */
    public void quarantine(PeerRequest.QuarantineCopy verdict, Completion<PeerReply> completion) {
        ActorState at = checkedReplica.role().state();
        boolean mine = at != null
                && !checkedReplica.closed()
                && verdict.server().equals(host.self())
                && verdict.epoch() == at.epoch()
                && verdict.epoch() == checkedReplica.files().installedEpoch()
                && verdict.primary().equals(at.primary())
                && !at.primary().equals(host.self());
        if (mine) {
            quarantine(verdict.reason());
        }
        completion.done(
                mine || checkedReplica.health().isDamaged()
                        ? Outcome.ok(new PeerReply.Ack())
                        : Outcome.err(new UniserveException(
                                ErrorCode.STALE_EPOCH,
                                checkedReplica.key() + " on " + host.self() + " is no follower in epoch "
                                        + verdict.epoch())));
    }

    /** Sets this copy aside, as it differs from the right one. */
    @Override
    public void quarantine(String reason) {
        ActorState at = checkedReplica.role().state();
        if (at == null || checkedReplica.closed() || checkedReplica.health().isDamaged()) {
            return;
        }
        LOG.error(
                "{}: {}; this copy is out of service and will be rebuilt, its files move to quarantine/",
                checkedReplica.key(),
                reason);
        checkedReplica.health().markDamaged(reason, at.epoch());
        checkedReplica.role().end(checkedReplica.key(), "differs from the other copies");
        checkedReplica.onGateChanged().run();
    }

    /** Rebuilds the engine, because it has lost this copy's contents; the files are intact. */
    public void onContentsLost(UniserveException error) {
        EngineApplier engine = checkedReplica.files().engine();
        if (engine != null && !checkedReplica.closed()) {
            engine.onContentsLost(error);
        }
    }

    /** The digest of this copy at an index, for the primary of this epoch. */
    @Override
    public void takeDigest(PeerRequest.TakeDigest request, Completion<PeerReply> completion) {
        OpenReplicaFiles parts = checkedReplica.files().openFiles();
        EngineApplier engine = checkedReplica.files().engine();
        if (parts == null || engine == null || !isReadyIn(request.epoch())) {
            completion.done(Outcome.err(notReady(request.epoch())));
            return;
        }
        long until = host.env().clock().nanos()
                + CopyComparison.REACH_RETRIES * host.config().retryNanos();
        engine.takeDigest(request.index(), until, taken -> {
            if (taken instanceof Outcome.Ok && !isReadyIn(request.epoch())) {
                completion.done(Outcome.err(notReady(request.epoch()))); // the log may have another entry there by now
            } else if (taken instanceof Outcome.Ok<Bytes> ok) {
                completion.done(Outcome.ok(
                        new PeerReply.Digested(request.index(), parts.log().hashAt(request.index()), ok.value())));
            } else {
                completion.done(Outcome.err(taken.error()));
            }
        });
    }

    /** True if this copy has installed that epoch, no later one, and is sound. */
    private boolean isReadyIn(long epoch) {
        ActorState at = checkedReplica.role().state();
        return at != null
                && !checkedReplica.closed()
                && !checkedReplica.health().isDamaged()
                && epoch == at.epoch()
                && epoch == checkedReplica.files().installedEpoch();
    }

    private UniserveException notReady(long epoch) {
        return new UniserveException(
                ErrorCode.UNAVAILABLE, checkedReplica.key() + " on " + host.self() + " is not ready in epoch " + epoch);
    }

    /** Compares the digests of the in-sync copies if this is the primary. Only one comparison runs at a time. */
    public void compare(Completion<PeerReply> completion) {
        OpenReplicaFiles parts = checkedReplica.files().openFiles();
        Primary leader = checkedReplica.role().primary();
        ActorState at = checkedReplica.role().state();
        CopyComparison running = comparison;
        if (parts == null || leader == null || at == null || checkedReplica.closed() || !leader.isAccepting()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "the primary of " + checkedReplica.key() + " is not ready: retry later")));
        } else if (running != null && !running.isEnded()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "copies of " + checkedReplica.key() + " are already being compared: retry later")));
        } else {
            CopyComparison next = new CopyComparison(host, checkedReplica.key(), at, parts.log(), this, completion);
            comparison = next;
            next.start();
        }
    }

    /** True while this is the primary of that epoch. */
    @Override
    public boolean isPrimaryOf(long epoch) {
        ActorState at = checkedReplica.role().state();
        return !checkedReplica.closed() && checkedReplica.role().primary() != null && at != null && at.epoch() == epoch;
    }
}
