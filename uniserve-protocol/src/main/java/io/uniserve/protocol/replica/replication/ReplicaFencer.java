package io.uniserve.protocol.replica.replication;

import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Fencing of replicas that were removed from the in-sync set and may still answer reads. A replica is fenced when it has confirmed an
 * installed epoch at or after its removal. It is also fenced when its longest possible lease has ended on this server's clock, counted from
 * the read of the map that removed it.
 */
public final class ReplicaFencer {
    private static final Comparator<Fencing> ORDER =
            Comparator.comparing(Fencing::server).thenComparingLong(Fencing::epoch);

    private final long fenceNanos;
    private final TreeMap<Fencing, Long> fencedAt = new TreeMap<>(ORDER);
    private long restoreEpoch;
    private long restoredUntil;

    public ReplicaFencer(long fenceNanos) {
        this.fenceNanos = fenceNanos;
    }

    /** Adopts a map that was read at this time. */
    public void assign(ActorState state, long readAtNanos) {
        if (state.restoreEpoch() > restoreEpoch) {
            restoreEpoch = state.restoreEpoch();
            restoredUntil = readAtNanos + fenceNanos;
        }
        fencedAt.keySet().retainAll(state.fencing());
        for (Fencing fencing : state.fencing()) {
            fencedAt.putIfAbsent(fencing, readAtNanos + fenceNanos);
        }
    }

    /** Handles a server's confirmation that it has installed this epoch. */
    public void onEpochInstalled(ServerId server, long installed, long now) {
        fencedAt.replaceAll((fencing, at) ->
                fencing.server().equals(server) && installed >= fencing.epoch() && at - now > 0 ? now : at);
    }

    /**
     * True while the table may have been restored, and a server without the new map may still answer reads of the old table, for any actor.
     */
    public boolean isOldTableReadable(@Nullable TableMeta meta, long now) {
        return meta != null && meta.onLoss() == OnLoss.RESTORE_TABLE && restoreEpoch > 0 && now - restoredUntil < 0;
    }

    public boolean allFenced(long now) {
        return fencedAt.values().stream().allMatch(at -> now - at >= 0);
    }

    public boolean isEmpty() {
        return fencedAt.isEmpty();
    }

    /** Servers whose removals are all fenced, or servers with an unfenced removal. */
    public List<ServerId> servers(boolean fenced, long now) {
        List<ServerId> servers = new ArrayList<>();
        fencedAt.forEach((fencing, at) -> {
            if (now - at >= 0 == fenced && !servers.contains(fencing.server())) {
                servers.add(fencing.server());
            }
        });
        if (fenced) {
            servers.removeAll(servers(false, now));
        }
        return servers;
    }
}
