package io.uniserve.protocol.server;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ClusterRecord;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.replica.BackupEraser;
import io.uniserve.protocol.replica.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes replicas that no map names. Never on what may be old: after a sync the cluster's record, the list of tables and
 * every map are read again, and any failed read ends the round. A replica whose installed epoch is beyond the map read, or
 * whose cluster's record is gone, stays.
 */
final class Reaper {
    private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);

    private final Environment env;
    private final String clusterId;
    private final ServerId self;
    private final ReplicaSet replicas;
    private final TableViews views;
    private final BackupEraser eraser;
    private boolean busy;

    Reaper(
            Environment env,
            String clusterId,
            ServerId self,
            ReplicaSet replicas,
            TableViews views,
            BackupEraser eraser) {
        this.env = env;
        this.clusterId = clusterId;
        this.self = self;
        this.replicas = replicas;
        this.views = views;
        this.eraser = eraser;
    }

    /** One round, if there is anything to remove. */
    void run() {
        if (busy || !anything()) {
            return;
        }
        busy = true;
        env.registry().sync(synced -> {
            if (synced instanceof Outcome.Err<?>) {
                busy = false;
                return;
            }
            env.registry().read(RegistryPaths.CLUSTER, read -> {
                boolean ours = read instanceof Outcome.Ok<Versioned> ok
                        && ok.value().value() instanceof ClusterRecord record
                        && record.clusterId().equals(clusterId);
                if (ours) {
                    list();
                } else {
                    busy = false;
                }
            });
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

    private void list() {
        env.registry().children(RegistryPaths.TABLES, listed -> {
            if (listed instanceof Outcome.Ok<List<String>> ok) {
                readNext(ok.value(), 0, new TreeMap<>());
            } else {
                busy = false;
            }
        });
    }

    private void readNext(List<String> names, int at, TreeMap<Long, TableMap> found) {
        if (at == names.size()) {
            busy = false;
            decide(found);
            return;
        }
        TableName name = tableName(names.get(at));
        if (name == null) {
            readNext(names, at + 1, found);
            return;
        }
        env.registry().read(RegistryPaths.map(name), read -> {
            if (!(read instanceof Outcome.Ok<Versioned> ok)) {
                busy = false;
                return;
            }
            if (ok.value().value() instanceof TableMap map) {
                found.put(map.tableId(), map);
            }
            readNext(names, at + 1, found);
        });
    }

    private static @Nullable TableName tableName(String name) {
        try {
            return new TableName(name);
        } catch (UniserveException e) {
            LOG.debug("not a table: {}", e.reason());
            return null;
        }
    }

    private void decide(TreeMap<Long, TableMap> maps) {
        List<ReplicaKey> gone = new ArrayList<>(replicas.unclaimed());
        gone.removeIf(key -> maps.containsKey(key.tableId()));
        gone.forEach(key -> remove(key, false, () -> {}));
        for (Replica replica : replicas.all()) {
            TableMap map = maps.get(replica.key().tableId());
            if (map == null) {
                if (unnamed(replica)) {
                    // What was shipped since the coordinator had the table's backups erased.
                    remove(replica.key(), false, () -> eraser.tryErase(replica.table(), replica.key()));
                }
                continue;
            }
            ActorState state = actor(map, replica.key());
            boolean settled = replica.mayEnd() && !replica.isDamaged() && replica.installed() <= state.epoch();
            boolean awaited = state.former().counts(self, replica.installed());
            if (settled && !awaited && !state.hosts(self) && unnamed(replica)) {
                remove(replica.key(), replica.abandonedAt() > 0, () -> {});
            }
        }
    }

    private void remove(ReplicaKey key, boolean aside, Runnable then) {
        LOG.info("{}: no map names this replica here, {}", key, aside ? "its files are set aside" : "it is removed");
        replicas.remove(key, aside, then);
    }
}
