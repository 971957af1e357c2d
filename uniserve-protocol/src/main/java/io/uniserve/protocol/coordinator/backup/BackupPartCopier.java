package io.uniserve.protocol.coordinator.backup;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.Tombstone;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.CatalogManager;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.TombstoneStore;
import io.uniserve.protocol.coordinator.table.TableIdAllocator;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Copier of a backup's parts to the continuous backups of a new table's actors. It reserves a table number, and first writes a backup
 * record per actor and the number's tombstone. So an interrupted copy is found and deleted. The multi that creates the table deletes the
 * tombstone.
 */
final class BackupPartCopier {
    private static final int RECORDS_PER_WRITE = 256;

    private final BackupOperation job;
    private final LeaderContext leader;
    private final TableSnapshot backup;
    private final TableIdAllocator tableIds;
    private final TableName table;
    private final Listener listener;
    private final BackupRecord[] records;
    private final List<Integer> actors;
    private int[] versions = {};
    private boolean created;
    private long tableId;

    /** Receiver of the result. */
    interface Listener {
        void onCopied();

        /** The copy failed. Copied objects may remain. */
        void onFailed(UniserveException error);

        /** A write was rejected, or its outcome is unknown. Copied objects may remain. */
        void onUnconfirmed(WriteResult written);
    }

    /** @param table the table name under which the backup records of the copies are stored */
    BackupPartCopier(
            BackupOperation job, TableSnapshot backup, TableIdAllocator numbers, TableName table, Listener listener) {
        this.job = job;
        this.leader = job.leader();
        this.backup = backup;
        this.tableIds = numbers;
        this.table = table;
        this.listener = listener;
        this.actors = backup.actors().numbers();
        this.records = new BackupRecord[actors.size()];
    }

    /** Number of the new table. */
    long tableId() {
        return tableId;
    }

    /** Backup record per actor. */
    List<BackupRecord> records() {
        return List.of(records);
    }

    /**
     * The row of a restored actor: the first of these servers takes the actor over from the copied backup.
     *
     * @param next version of the restored table's next update, 0 for an eventual table. It is the first version of an actor without data
     */
    static ActorState restoredActor(
            BackupRecord copied, List<ServerId> replicas, Collection<ServerId> readers, long next) {
        long epoch = copied.epoch() + 1;
        ServerId primary = replicas.get(0);
        List<Fencing> fencing =
                readers.stream().map(server -> new Fencing(server, epoch)).toList();
        ActorState row = new ActorState(
                copied.key().actor(), epoch, primary, List.of(primary), List.of(), fencing, replicas, Map.of(), epoch);
        return copied.shippedIndex() == 0 ? row.withFirstVersion(next) : row;
    }

    /** True once a record may exist. */
    boolean hasStarted() {
        return tableId > 0;
    }

    void run() {
        tableIds.next(this::reserve, listener::onFailed);
    }

    private void reserve(long least) {
        ClusterRecord cluster = leader.catalog().cluster();
        long number = Math.max(least, cluster.nextTableId());
        ClusterRecord next = cluster.withNextTableId(number + 1);
        Op op = new Op.Set(RegistryPaths.CLUSTER, next, leader.catalog().clusterVersion());
        leader.registry().write(List.of(op), written -> {
            if (written.isApplied()) {
                leader.catalog().setCluster(next, written.versions().get(0));
                tableId = number;
                for (int at = 0; at < records.length; at++) {
                    records[at] = new BackupRecord(new ReplicaKey(tableId, actors.get(at)), false, 1, 0, "", 0);
                }
                write(() -> job.forEachActor(records.length, this::copy, this::onCopied));
            } else {
                readClusterRecord(() -> listener.onUnconfirmed(written));
            }
        });
    }

    /**
     * Reads the cluster record after a write that was rejected or has an unknown outcome. Without its current znode version no later number
     * could be reserved.
     */
    private void readClusterRecord(Runnable then) {
        leader.registry()
                .afterSync(() -> leader.catalog().reloadCluster(new CatalogManager.LoadCallback() {
                    @Override
                    public void onLoaded() {
                        then.run();
                    }

                    @Override
                    public void onFailed(UniserveException error) {
                        then.run();
                    }
                }));
    }

    /** Writes the current records. */
    void write(Runnable then) {
        write(0, new int[records.length], then);
    }

    private void write(int from, int[] made, Runnable then) {
        if (from >= records.length && created) {
            versions = made;
            then.run();
            return;
        }
        List<Op> ops = new ArrayList<>();
        int to = Math.min(records.length, from + RECORDS_PER_WRITE);
        for (int at = from; at < to; at++) {
            String path = path(at);
            ops.add(
                    versions.length == 0
                            ? new Op.Create(path, records[at], false)
                            : new Op.Set(path, records[at], versions[at]));
        }
        if (!created) {
            ops.add(TombstoneStore.create(tableId, table, Tombstone.Reason.RESTORING));
        }
        leader.registry().write(ops, done -> {
            if (done.isApplied()) {
                created = true;
                for (int at = from; at < to; at++) {
                    made[at] = done.versions().get(at - from);
                }
                write(to, made, then);
            } else {
                listener.onUnconfirmed(done);
            }
        });
    }

    /** Checks that the records have not changed since they were written. */
    List<Op> checks() {
        List<Op> ops = new ArrayList<>();
        for (int at = 0; at < versions.length; at++) {
            ops.add(new Op.Check(path(at), versions[at]));
        }
        return ops;
    }

    private String path(int at) {
        return RegistryPaths.backup(table, new ReplicaKey(tableId, actors.get(at)));
    }

    private void copy(int at, Completion<Done> then) {
        int actor = actors.get(at);
        ReplicaKey target = new ReplicaKey(tableId, actor);
        Bytes manifest = backup.forActor(actor).encode();
        job.call(new ArchiveRequest.CopyPart(manifest, actor, target), PeerReply.Copied.class, outcome -> {
            if (outcome instanceof Outcome.Err<PeerReply.Copied> err) {
                then.done(Outcome.err(copyError(backup, actor, err.error())));
                return;
            }
            BackupRecord copied = outcome.value().record();
            if (copied.key().equals(target)) {
                records[at] = copied;
                then.done(Outcome.ok(Done.DONE));
            } else {
                then.done(Outcome.err(new UniserveException(
                        ErrorCode.INTERNAL, "a server copied " + copied.key() + ", not " + target)));
            }
        });
    }

    private void onCopied(Outcome<Done> outcome) {
        if (outcome instanceof Outcome.Err<Done> err) {
            listener.onFailed(err.error());
        } else if (job.reply().isOpen()) {
            listener.onCopied();
        } else {
            listener.onFailed(new UniserveException(
                    ErrorCode.UNAVAILABLE, "the client stopped waiting for the restoration of table " + table));
        }
    }

    static UniserveException copyError(TableSnapshot backup, int actor, UniserveException error) {
        return new UniserveException(
                error.code(), "backup " + backup.name() + ", actor " + actor + ": " + error.reason(), error);
    }
}
