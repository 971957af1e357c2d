package io.uniserve.protocol.server;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.backup.ship.BackupEraser;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.server.identity.RegistryDataLossGuard;
import io.uniserve.protocol.server.identity.RegistrySnapshot;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removal of replicas that no map names. It deletes a replica only with a proof: the tombstone of its table number, or a map of that
 * number. The map must have the replica's epoch or a later one, and a live in-sync member on another server, or show that the replica's
 * chunk is expired. A replica of an unknown table
 * goes to the trash; if all replicas of the server are of that kind, they stay. It never decides on old data: the registry is read after a
 * sync, and a failed read ends the round.
 */
final class OrphanReplicaCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanReplicaCleaner.class);
    private static final int NAMED_MAX = 3;

    private final Environment env;
    private final String clusterId;
    private final ServerId self;
    private final HostedReplicas replicas;
    private final TableViewCache views;
    private final BackupEraser eraser;
    private final RegistryDataLossGuard guard;
    private final String registry;
    private final Predicate<ServerId> live;
    private boolean busy;

    /** @param registry description of the registry, for messages */
    OrphanReplicaCleaner(
            Dependencies parts,
            String clusterId,
            ServerId self,
            String registry,
            BackupEraser eraser,
            Predicate<ServerId> live) {
        this.env = parts.env();
        this.replicas = parts.replicas();
        this.views = parts.views();
        this.guard = parts.guard();
        this.clusterId = clusterId;
        this.self = self;
        this.registry = registry;
        this.eraser = eraser;
        this.live = live;
    }

    /** The parts that it works on. */
    record Dependencies(Environment env, HostedReplicas replicas, TableViewCache views, RegistryDataLossGuard guard) {}

    /** Runs one round if there may be something to remove. */
    void run() {
        if (busy) {
            return;
        }
        if (!hasCandidates()) {
            guard.mayTrash(replicas.keys(), List.of());
            return;
        }
        busy = true;
        RegistrySnapshot.read(env.registry(), taken -> {
            busy = false;
            if (taken instanceof Outcome.Ok<RegistrySnapshot> ok) {
                decide(ok.value());
            }
        });
    }

    private boolean hasCandidates() {
        return !replicas.unclaimed().isEmpty() || replicas.all().stream().anyMatch(this::isUnnamed);
    }

    /**
     * True for a replica that no map names. A replica with a hanging engine does not count while its table exists: it could not be closed,
     * and meanwhile a map that names this server again would be ignored. It reports itself as unhealthy instead, and another server gets
     * the copy.
     */
    private boolean isUnnamed(Replica replica) {
        TableViewCache.View view = views.find(replica.key().tableId());
        if (view == null || view.isExpired(replica.key())) {
            return true;
        }
        ActorState actor = view.map().find(replica.key().actor());
        return actor != null && !actor.hasReplicaOn(self) && replica.isClosable();
    }

    private void decide(RegistrySnapshot census) {
        TreeSet<ReplicaKey> unknown = new TreeSet<>();
        ClusterRecord cluster = census.cluster();
        boolean ours = cluster != null && cluster.clusterId().equals(clusterId);
        for (ReplicaKey key : replicas.keys()) {
            TableMap map = census.maps().get(key.tableId());
            boolean viewed = views.find(key.tableId()) != null; // this view disappears soon if the map is gone
            if (map == null && !viewed && !census.tombstones().contains(key.tableId())) {
                unknown.add(key);
            } else if (ours && map != null && isExpired(map, key)) {
                removeExpired(key);
            } else if (ours && map != null) {
                removeMoved(key, map);
            } else if (ours && !viewed) {
                removeDropped(key);
            }
        }
        boolean before = guard.heldReplicas().isEmpty();
        if (!ours) {
            guard.hold(unknown);
        } else if (guard.mayTrash(replicas.keys(), unknown)) {
            unknown.forEach(key -> replicas.discard(
                    key,
                    "no table of the registry has number " + key.tableId()
                            + ", and no tombstone proves that it was dropped"));
        }
        if (before && !guard.heldReplicas().isEmpty()) {
            report();
        }
    }

    private void report() {
        List<ReplicaKey> held = guard.heldReplicas();
        LOG.error(
                "server {}: all of its {} replicas are of tables that the registry ({}) does not know, e.g. {}: their"
                        + " files stay. The registry was emptied, reset, or is another cluster's: restore its"
                        + " data, or correct zookeeper.connect. To give the replicas up, restart this server with"
                        + " server.trash-all-unknown=true",
                self,
                held.size(),
                registry,
                held.subList(0, Math.min(NAMED_MAX, held.size())));
    }

    private void removeDropped(ReplicaKey key) {
        Replica replica = replicas.find(key);
        LOG.info("{}: table dropped, removing the replica", key);
        // also erase what was shipped after the coordinator had the backups erased
        replicas.remove(key, false, replica == null ? () -> {} : () -> eraser.tryErase(replica.table(), key));
    }

    /** True if the map read now proves that the actor's chunk is expired. The definition of a table never changes its partitioner. */
    private boolean isExpired(TableMap map, ReplicaKey key) {
        TableViewCache.View view = views.find(key.tableId());
        return view != null
                && !map.has(key.actor())
                && map.isExpired(view.meta().partitioner(), key.actor());
    }

    private void removeExpired(ReplicaKey key) {
        TableViewCache.View view = views.find(key.tableId());
        if (view != null) {
            LOG.info("{}: its chunk is expired, removing the replica", key);
            replicas.remove(key, false, () -> eraser.tryErase(view.meta().name(), key));
        }
    }

    /**
     * Removes a replica that the map of its table gives to other servers, if the map is not older than the replica and a live in-sync
     * member has its data.
     */
    private void removeMoved(ReplicaKey key, TableMap map) {
        Replica replica = replicas.find(key);
        if (replica == null) {
            return;
        }
        ActorState state = map.find(key.actor());
        if (state == null) {
            return; // neither expired nor in the map: without a proof it stays
        }
        boolean settled = replica.isClosable() && !replica.isDamaged() && replica.installedEpoch() <= state.epoch();
        boolean awaited = state.previousIsr().hasAllData(self, replica.installedEpoch());
        boolean elsewhere = state.isr().stream().anyMatch(live);
        if (settled && !awaited && elsewhere && !state.hasReplicaOn(self) && isUnnamed(replica)) {
            boolean aside = replica.supersededByEpoch() > 0;
            LOG.info(
                    "{}: the map of epoch {} names other servers for this actor, {}",
                    key,
                    state.epoch(),
                    aside ? "moving its files to quarantine" : "removing the replica");
            replicas.remove(key, aside, () -> {});
        }
    }
}
