package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.engine.EngineApplier;
import io.uniserve.protocol.replica.primary.PendingUpdates;
import io.uniserve.protocol.replica.primary.RejectionLogger;
import io.uniserve.protocol.replica.primary.TransactionParticipant;
import io.uniserve.protocol.replica.state.VersionIndex;
import io.uniserve.protocol.replica.state.VersionState;
import io.uniserve.protocol.replica.storage.OpenReplicaFiles;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Prepares and decisions of atomic updates at one replica (docs/protocol.md, section 3.2). The primary passes them to its
 * {@link TransactionParticipant}; every replica applies decisions that its server knows early.
 */
public final class ReplicaTransactions {
    private final ReplicaContext host;
    private final ParticipatingReplica replica;

    ReplicaTransactions(ReplicaContext host, ParticipatingReplica replica) {
        this.host = host;
        this.replica = replica;
    }

    /** The parts of the replica that transactions use. */
    record ParticipatingReplica(
            ReplicaKey key,
            TableName table,
            ReplicaStorage storage,
            ReplicaRole role,
            PendingUpdates pending,
            VersionIndex versionIndex,
            RejectionLogger rejectionLogger,
            BooleanSupplier closed) {}

    /** Handles a PREPARE request at the primary. */
    public void prepare(PeerRequest.Prepare request, Completion<PeerReply> completion) {
        long installed = replica.storage().installedEpoch();
        if (request.epoch() > installed) {
            host.refresh(replica.table());
        }
        TransactionParticipant participant = participant();
        if (participant == null) {
            completion.done(Outcome.ok(PeerReply.Vote.retry(installed, "this server is not the actor's primary")));
        } else {
            participant.prepare(request, completion);
        }
    }

    /** Handles a decision of the transaction log. The reply follows when every in-sync replica has logged it. */
    public void decide(PeerRequest.Decide request, Completion<PeerReply> completion) {
        applyEarlyDecision(request.version(), request.commit());
        TransactionParticipant participant = participant();
        if (participant == null) {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.NOT_PRIMARY, "this server is not the actor's primary")));
        } else {
            participant.decide(request, completion);
        }
    }

    /** Applies an outcome from the transaction log at once, even if the actor's log does not have it yet. */
    public void applyEarlyDecision(long version, boolean commit) {
        EngineApplier engine = replica.storage().engine();
        if (engine != null && !isClosed()) {
            engine.applyEarlyDecision(version, commit);
        }
    }

    /** The version that is prepared in the engine without an applied outcome; 0 for none. */
    public long undecidedVersion() {
        EngineApplier engine = replica.storage().engine();
        return engine == null || isClosed() ? 0 : engine.undecidedVersion();
    }

    /** The version that this primary's log has prepared and not decided; 0 for none, and for other replicas. */
    public long openVersion() {
        return participant() == null ? 0 : replica.versionIndex().stateAtEnd().open();
    }

    /** The newest version that is committed here, also if the decision was applied early. */
    long committedVersion() {
        EngineApplier engine = replica.storage().engine();
        return engine == null
                ? 0
                : Math.max(
                        engine.requestTable().versions().committed(),
                        engine.early().committed());
    }

    private @Nullable TransactionParticipant participant() {
        OpenReplicaFiles files = replica.storage().openFiles();
        EngineApplier engine = replica.storage().engine();
        return replica.role().primary() == null || files == null || isClosed() || engine == null || !engine.isReady()
                ? null
                : new TransactionParticipant(
                        host,
                        replica.key(),
                        files.log(),
                        replica.pending(),
                        replica.versionIndex(),
                        replica.rejectionLogger(),
                        replica.role()::primary);
    }

    private boolean isClosed() {
        return replica.closed().getAsBoolean();
    }

    /** The versions that the engine has applied. */
    static VersionState appliedVersions(ReplicaStorage storage) {
        EngineApplier engine = storage.engine();
        return engine == null ? new VersionState() : engine.requestTable().versions();
    }
}
