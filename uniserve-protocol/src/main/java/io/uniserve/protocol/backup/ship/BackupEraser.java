package io.uniserve.protocol.backup.ship;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.SnapshotPin;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletion of the backups of actors of dropped tables and of expired chunks, except pinned objects. It first checks in ZooKeeper that the
 * table is dropped or the chunk expired. Table numbers are never reused and the watermark of expiry never falls, so both stay so. Before
 * it deletes definitions it stores the object that says so, see {@link StoredTableDefinition}.
 */
public final class BackupEraser {
    private static final Logger LOG = LoggerFactory.getLogger(BackupEraser.class);

    private final Environment env;
    private final ReplicaConfig config;
    private final TreeSet<ReplicaKey> running = new TreeSet<>();

    public BackupEraser(Environment env, ReplicaConfig config) {
        this.env = env;
        this.config = config;
    }

    /**
     * Deletes every object of the actor. Errors:
     * <ul>
     * <li>INVALID_ARGUMENT if the actor exists, or the table is gone without a tombstone
     * <li>UNSUPPORTED if this server has no durable storage
     * <li>UNAVAILABLE if the deletion is already running
     * <li>errors of registry and storage; some objects may then remain
     * </ul>
     */
    public void erase(TableName table, ReplicaKey key, Completion<Done> completion) {
        if (config.shippingNanos() == 0) {
            completion.done(error(ErrorCode.UNSUPPORTED, "this server has no durable storage: use one that has it"));
        } else if (!running.add(key)) {
            completion.done(error(ErrorCode.UNAVAILABLE, "the backup of " + key + " is being deleted: retry later"));
        } else {
            check(table, key, outcome -> {
                running.remove(key);
                completion.done(outcome);
            });
        }
    }

    /** Same as {@link #erase}, but an error is only logged. */
    public void tryErase(TableName table, ReplicaKey key) {
        erase(table, key, outcome -> {
            if (outcome instanceof Outcome.Err<Done> err && err.error().code() != ErrorCode.UNSUPPORTED) {
                LOG.warn(
                        "{}: deletion of the backup failed: {}",
                        key,
                        err.error().getMessage());
            }
        });
    }

    private void check(TableName table, ReplicaKey key, Completion<Done> completion) {
        env.registry()
                .sync(synced -> env.registry().read(RegistryPaths.map(table), read -> {
                    if (synced instanceof Outcome.Err<Done>) {
                        completion.done(synced);
                    } else if (!(read instanceof Outcome.Ok<Versioned> ok)) {
                        completion.done(Outcome.err(read.error()));
                    } else if (ok.value().value() instanceof TableMap map && map.tableId() == key.tableId()) {
                        expired(table, map, key, completion);
                    } else {
                        dropped(table, key, completion);
                    }
                }));
    }

    /** Checks that the map lacks the actor because its chunk is expired. */
    private void expired(TableName table, TableMap map, ReplicaKey key, Completion<Done> completion) {
        env.registry().read(RegistryPaths.meta(table), read -> {
            if (!(read instanceof Outcome.Ok<Versioned> ok)) {
                completion.done(Outcome.err(read.error()));
            } else if (!map.has(key.actor())
                    && ok.value().value() instanceof TableMeta meta
                    && meta.tableId() == key.tableId()
                    && map.isExpired(meta.partitioner(), key.actor())) {
                list(key, false, completion);
            } else {
                completion.done(error(ErrorCode.INVALID_ARGUMENT, "table " + table + " still exists: drop it first"));
            }
        });
    }

    /** Checks the tombstone. A missing map alone does not prove that the table was dropped. */
    private void dropped(TableName table, ReplicaKey key, Completion<Done> completion) {
        env.registry().read(RegistryPaths.tombstone(key.tableId()), read -> {
            if (!(read instanceof Outcome.Ok<Versioned> ok)) {
                completion.done(Outcome.err(read.error()));
            } else if (ok.value().version() == Registry.ABSENT) {
                completion.done(error(
                        ErrorCode.INVALID_ARGUMENT,
                        "no tombstone proves that table " + table + " (number " + key.tableId()
                                + ") was dropped: its backup is kept"));
            } else {
                list(key, true, completion);
            }
        });
    }

    /** @param tableDropped true to delete the table's definition too */
    private void list(ReplicaKey key, boolean tableDropped, Completion<Done> completion) {
        env.objects().list(BackupPaths.root(config.clusterId(), key), completion.then(listed -> {
            PinnedObjectFinder.find(
                    env,
                    config.clusterId(),
                    key,
                    listed,
                    pinned -> choose(key, tableDropped, listed, pinned, completion));
        }));
    }

    private void choose(
            ReplicaKey key,
            boolean tableDropped,
            List<String> names,
            Outcome<TreeSet<String>> pinned,
            Completion<Done> completion) {
        if (!(pinned instanceof Outcome.Ok<TreeSet<String>> pins)) {
            completion.done(Outcome.err(pinned.error()));
            return;
        }
        ArrayDeque<String> doomed = new ArrayDeque<>(names);
        doomed.removeIf(pins.value()::contains);
        if (!doomed.isEmpty()) {
            LOG.info(
                    "{}: {}, deleting {} objects of its backup",
                    key,
                    tableDropped ? "table dropped" : "chunk expired",
                    doomed.size());
        }
        if (!tableDropped) {
            env.objects().deleteAll(doomed.iterator(), completion);
            return;
        }
        String mark = StoredTableDefinition.dropped(config.clusterId(), key.tableId());
        env.objects().list(StoredTableDefinition.prefix(config.clusterId(), key.tableId()), completion.then(listed -> {
            listed.stream().filter(name -> !name.equals(mark)).forEach(doomed::add);
            if (listed.contains(mark)) {
                env.objects().deleteAll(doomed.iterator(), completion);
            } else {
                env.objects()
                        .put(
                                mark,
                                StoredTableDefinition.droppedMark(),
                                completion.then(stored -> env.objects().deleteAll(doomed.iterator(), completion)));
            }
        }));
    }

    /**
     * Deletes an actor's part of a backup. The objects that it protected are deleted with the next cleaning, or at once if the table is
     * dropped. Errors as of {@link #erase}; the pin may then remain.
     */
    public void release(TableName table, String cluster, ReplicaKey key, String backup, Completion<Done> completion) {
        env.objects().list(BackupPaths.pinPrefix(cluster, key), completion.then(listed -> {
            ArrayDeque<String> doomed = new ArrayDeque<>();
            SnapshotPin.among(listed, cluster, key).stream()
                    .filter(pin -> pin.backup().equals(backup))
                    .forEach(pin -> doomed.add(pin.path()));
            env.objects().deleteAll(doomed.iterator(), done -> {
                if (done instanceof Outcome.Err<Done> || !cluster.equals(config.clusterId())) {
                    completion.done(done);
                } else {
                    erase(
                            table,
                            key,
                            erased -> completion.done(
                                    erased instanceof Outcome.Err<Done> err
                                                    && err.error().code() == ErrorCode.INVALID_ARGUMENT
                                            ? Outcome.ok(Done.DONE) // the table exists: its primary deletes them;
                                            // or it has no tombstone: they stay
                                            : erased));
                }
            });
        }));
    }

    private static Outcome<Done> error(ErrorCode code, String why) {
        return Outcome.err(new UniserveException(code, why));
    }
}
