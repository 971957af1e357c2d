package io.uniserve.protocol.replica;

import io.uniserve.model.ActorState;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.replication.Follower;
import io.uniserve.protocol.replica.storage.OpenReplicaFiles;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Access of a follower to its replica, see {@link Follower.ReplicaAccess}. */
final class FollowerReplicaAccess implements Follower.ReplicaAccess {
    private static final Logger LOG = LoggerFactory.getLogger(FollowerReplicaAccess.class);

    private final Replica replica;
    private final ReplicaContext host;
    private final ReplicaStorage storage;
    private final ReplicaRole replicaRole;
    private final OpenReplicaFiles parts;
    private final Truncator truncator;
    private final BooleanSupplier busy;

    /** Truncation of the replica's log. */
    interface Truncator {
        void truncate(long after, Completion<Long> then);
    }

    /** @param busy true while the replica is closed or its log is being truncated */
    FollowerReplicaAccess(
            Replica replica,
            ReplicaContext host,
            ReplicaStorage files,
            ReplicaRole replicaRole,
            OpenReplicaFiles parts,
            Truncator cuts,
            BooleanSupplier busy) {
        this.replica = replica;
        this.host = host;
        this.storage = files;
        this.replicaRole = replicaRole;
        this.parts = parts;
        this.truncator = cuts;
        this.busy = busy;
    }

    @Override
    public long appliedIndex() {
        return replica.appliedIndex();
    }

    @Override
    public long incarnation() {
        return host.incarnation();
    }

    @Override
    public void truncate(long after, Completion<Long> then) {
        truncator.truncate(after, then);
    }

    @Override
    public void storeBaseHash(long baseIndex, long hash, Completion<Done> then) {
        parts.file().change(state -> state.withBaseHash(baseIndex, hash), noted -> {
            if (noted instanceof Outcome.Ok<Done>) {
                parts.log().adoptBaseHash(baseIndex, hash);
            }
            then.done(noted);
        });
    }

    @Override
    public boolean restartFromCheckpoint(long primaryBase) {
        ActorState at = replicaRole.state();
        boolean free = !busy.getAsBoolean() && storage.canStartStep();
        if (at != null && free && !at.isr().contains(host.self())) {
            storage.restartFromCheckpoint(primaryBase);
        }
        return primaryBase == 0 || !storage.isStoredCheckpointDamaged();
    }

    @Override
    public void onAgreed() {
        LOG.warn("{}: log agrees with the primary's again", replica.key());
        host.gateChanged(replica.key());
    }

    @Override
    public void onDiverged(long index, String how) {
        if (index < 0) {
            LOG.warn("{}: {}", replica.key(), how);
        } else {
            LOG.error("{}: log differs from the primary's at index {}: {}", replica.key(), index, how);
            host.gateChanged(replica.key());
        }
    }
}
