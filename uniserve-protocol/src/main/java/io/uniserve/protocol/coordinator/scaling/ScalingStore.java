package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.CatalogManager;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The auto-scaler's record in the registry. One read or write runs at a time. Its value is that of the last read or confirmed write of this
 * term, and is read again after every write with another result.
 *
 * <p>Life cycle, see {@link State}: UNREAD → READING → READY → WRITING → READY. A read that fails leads to UNREAD; a write without a
 * confirmation leads to READING.
 */
final class ScalingStore {
    private final LeaderContext leader;
    private ScalingRecord record = ScalingRecord.EMPTY;
    private int version = Registry.ABSENT;
    private State state = State.UNREAD;
    private boolean wasRead;

    private enum State {
        UNREAD,
        READING,
        READY,
        WRITING
    }

    ScalingStore(LeaderContext leader) {
        this.leader = leader;
    }

    /** The record as it was read or written last. */
    ScalingRecord record() {
        return record;
    }

    /** True if the record is known, and no read or write is under way. */
    boolean isReady() {
        return state == State.READY;
    }

    /** True once the record has been read in this term. */
    boolean wasRead() {
        return wasRead;
    }

    /** Reads the record if it is not known. */
    void readIfUnread() {
        if (state == State.UNREAD) {
            read();
        }
    }

    private void read() {
        state = State.READING;
        leader.registry()
                .afterSync(() -> leader.catalog().reloadCluster(new CatalogManager.LoadCallback() {
                    @Override
                    public void onLoaded() {
                        leader.registry().read(RegistryPaths.SCALING, ScalingStore.this::onRead);
                    }

                    @Override
                    public void onFailed(UniserveException error) {
                        state = State.UNREAD;
                    }
                }));
    }

    private void onRead(Outcome<Versioned> outcome) {
        if (outcome instanceof Outcome.Ok<Versioned> ok) {
            record = ok.value().value() instanceof ScalingRecord found ? found : ScalingRecord.EMPTY;
            version = ok.value().version();
            state = State.READY;
            wasRead = true;
        } else {
            state = State.UNREAD;
        }
    }

    /** Writes the record. Call only if {@link #isReady}. {@code then} is called if the write is confirmed. */
    void write(ScalingRecord next, Runnable then) {
        write(next, null, written -> {
            if (written.isApplied()) {
                then.run();
            }
        });
    }

    /**
     * Writes the record and, in the same multi, the cluster's record.
     *
     * @param cluster new value of the cluster's record; null to keep it
     */
    void write(ScalingRecord next, @Nullable ClusterRecord cluster, Consumer<WriteResult> then) {
        state = State.WRITING;
        List<Op> ops = new ArrayList<>();
        ops.add(
                version == Registry.ABSENT
                        ? new Op.Create(RegistryPaths.SCALING, next, false)
                        : new Op.Set(RegistryPaths.SCALING, next, version));
        if (cluster != null) {
            ops.add(new Op.Set(RegistryPaths.CLUSTER, cluster, leader.catalog().clusterVersion()));
        }
        leader.registry().write(ops, written -> {
            if (written.isApplied()) {
                record = next;
                version = written.versions().get(0);
                if (cluster != null) {
                    leader.catalog().setCluster(cluster, written.versions().get(1));
                    leader.reconcileSoon();
                }
                state = State.READY;
            } else {
                read();
            }
            then.accept(written);
        });
    }
}
