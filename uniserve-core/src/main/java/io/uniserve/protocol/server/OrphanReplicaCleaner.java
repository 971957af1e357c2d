package io.uniserve.protocol.server;

import io.uniserve.model.ActorState;
import io.uniserve.model.ClusterRecord;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMap;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.BackupEraser;
import io.uniserve.protocol.replica.Replica;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes replicas that no map names. It deletes only what a record proves to be of no use: the tombstone of the table's number,
 * or the map of that very table, in the replica's epoch or a later one, in which others are in sync. A replica of a table
 * that is only absent goes to the trash, and stays where it is while all of the server's replicas are of that kind. Never on
 * what may be old: the registry is read again after a sync, and any failed read ends the round.
 */
final class OrphanReplicaCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanReplicaCleaner.class);
    private static final int NAMED_MAX = 3;

    private final Environment env;
    private final String clusterId;
    private final ServerId self;
    private final ReplicaSet replicas;
    private final TableViews views;
    private final BackupEraser eraser;
    private final AbsenceGuard guard;
    private final String registry;
    private final Predicate<ServerId> live;
    private boolean busy;

    /** @param registry how messages name it */
    OrphanReplicaCleaner(
            Parts parts,
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

    /** What it works on. */
    record Parts(Environment env, ReplicaSet replicas, TableViews views, AbsenceGuard guard) {}

    /** One round, if there is anything to remove. */
    void run() {
        if (busy) {
            return;
        }
        if (!anything()) {
            guard.allows(replicas.keys(), List.of());
            return;
        }
        busy = true;
        RegistryCensus.take(env.registry(), taken -> {
            busy = false;
            if (taken instanceof Outcome.Ok<RegistryCensus> ok) {
                decide(ok.value());
            }
        });
    }

    private boolean anything() {
        return !replicas.unclaimed().isEmpty() || replicas.all().stream().anyMatch(this::unnamed);
    }

    /**
     * One whose engine hangs stays while its table is there: it could not end, and for as long as it was ending no map that names this
     * server again would be heard of. So it says that it is unfit, and another server gets the copy.
     */
    private boolean unnamed(Replica replica) {
        TableViews.View view = views.find(replica.key().tableId());
        return view == null || !actor(view.map(), replica.key()).hosts(self) && replica.mayEnd();
    }

    private static ActorState actor(TableMap map, ReplicaKey key) {
        return map.actors().get(key.actor());
    }

    private void decide(RegistryCensus census) {
        TreeSet<ReplicaKey> unknown = new TreeSet<>();
        ClusterRecord cluster = census.cluster();
        boolean ours = cluster != null && cluster.clusterId().equals(clusterId);
        for (ReplicaKey key : replicas.keys()) {
            TableMap map = census.maps().get(key.tableId());
            boolean viewed = views.find(key.tableId()) != null; // where the map has gone, soon not any more
            if (map == null && !viewed && !census.tombstones().contains(key.tableId())) {
                unknown.add(key);
            } else if (ours && map != null) {
                moved(key, map);
            } else if (ours && !viewed) {
                dropped(key);
            }
        }
        boolean before = guard.held().isEmpty();
        if (!ours) {
            guard.hold(unknown);
        } else if (guard.allows(replicas.keys(), unknown)) {
            unknown.forEach(key -> replicas.discard(
                    key,
                    "no table of the registry has number " + key.tableId()
                            + ", and no tombstone says that one was dropped"));
        }
        if (before && !guard.held().isEmpty()) {
            report();
        }
    }

    private void report() {
        List<ReplicaKey> held = guard.held();
        LOG.error(
                "server {}: all of its {} replicas are of tables that the registry ({}) does not know, e.g. {}: their"
                        + " files stay as they are. The registry was emptied, set back, or is another cluster's: bring its"
                        + " data back, or correct zookeeper.connect. To give the replicas up, restart this server with"
                        + " server.trash-all-unknown=true",
                self,
                held.size(),
                registry,
                held.subList(0, Math.min(NAMED_MAX, held.size())));
    }

    private void dropped(ReplicaKey key) {
        Replica replica = replicas.find(key);
        LOG.info("{}: its table was dropped, it is removed", key);
        // what was shipped since the coordinator had the table's backups erased goes too
        replicas.remove(key, false, replica == null ? () -> {} : () -> eraser.tryErase(replica.table(), key));
    }

    /** The map of the replica's table: the replica goes where the map is not older, and others have what it has. */
    private void moved(ReplicaKey key, TableMap map) {
        Replica replica = replicas.find(key);
        if (replica == null) {
            return;
        }
        ActorState state = actor(map, key);
        boolean settled = replica.mayEnd() && !replica.isDamaged() && replica.installed() <= state.epoch();
        boolean awaited = state.former().counts(self, replica.installed());
        boolean elsewhere = state.isr().stream().anyMatch(live);
        if (settled && !awaited && elsewhere && !state.hosts(self) && unnamed(replica)) {
            boolean aside = replica.abandonedAt() > 0;
            LOG.info(
                    "{}: the map of epoch {} gives this actor to other servers, {}",
                    key,
                    state.epoch(),
                    aside ? "its files are set aside" : "it is removed");
            replicas.remove(key, aside, () -> {});
        }
    }
}
