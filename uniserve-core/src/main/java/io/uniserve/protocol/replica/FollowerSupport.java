package io.uniserve.protocol.replica;

import io.uniserve.model.ActorState;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Access of a follower to its replica, see {@link Follower.Parts}. */
final class FollowerSupport implements Follower.Parts {
    private static final Logger LOG = LoggerFactory.getLogger(FollowerSupport.class);

    private final Replica replica;
    private final ReplicaContext host;
    private final ReplicaStorage files;
    private final ReplicaRole replicaRole;
    private final OpenReplica parts;
    private final Cuts cuts;
    private final BooleanSupplier busy;

    /** Truncation of the replica's log. */
    interface Cuts {
        void cut(long after, Completion<Long> then);
    }

    /** @param busy true while the replica is closed or its log is being truncated */
    FollowerSupport(
            Replica replica,
            ReplicaContext host,
            ReplicaStorage files,
            ReplicaRole replicaRole,
            OpenReplica parts,
            Cuts cuts,
            BooleanSupplier busy) {
        this.replica = replica;
        this.host = host;
        this.files = files;
        this.replicaRole = replicaRole;
        this.parts = parts;
        this.cuts = cuts;
        this.busy = busy;
    }

    @Override
    public long applied() {
        return replica.applied();
    }

    @Override
    public long incarnation() {
        return host.incarnation();
    }

    @Override
    public void cut(long after, Completion<Long> then) {
        cuts.cut(after, then);
    }

    @Override
    public void adopt(long baseIndex, long hash, Completion<Done> then) {
        parts.file().change(state -> state.hashed(baseIndex, hash), noted -> {
            if (noted instanceof Outcome.Ok<Done>) {
                parts.log().adoptBaseHash(baseIndex, hash);
            }
            then.done(noted);
        });
    }

    @Override
    public boolean startOver(long primaryBase) {
        ActorState at = replicaRole.state();
        boolean free = !busy.getAsBoolean() && files.mayTry();
        if (at != null && free && !at.isr().contains(host.self())) {
            files.startOver(primaryBase);
        }
        return primaryBase == 0 || !files.storedDamaged();
    }

    @Override
    public void agrees() {
        LOG.warn("{}: log agrees with the primary's again", replica.key());
        host.gateChanged(replica.key());
    }

    @Override
    public void differs(long index, String how) {
        if (index < 0) {
            LOG.warn("{}: {}", replica.key(), how);
        } else {
            LOG.error("{}: log differs from the primary's at index {}: {}", replica.key(), index, how);
            host.gateChanged(replica.key());
        }
    }
}
