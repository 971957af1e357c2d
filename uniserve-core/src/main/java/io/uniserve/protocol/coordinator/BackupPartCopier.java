package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.BackupRecord;
import io.uniserve.model.ClusterRecord;
import io.uniserve.model.Fencing;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.Tombstone;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.archive.TableSnapshot;
import io.uniserve.protocol.coordinator.FencedRegistry.Written;
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
 * Copies the parts of a backup as the continuous backups of a table's actors that is to be: gives it a number, and writes a
 * backup record for each actor and the number's tombstone first, so that what follows is found and deleted whoever ends it.
 * The write that makes the table deletes the tombstone.
 */
final class BackupPartCopier {
    private static final int RECORDS_PER_WRITE = 256;

    private final BackupOperation job;
    private final LeaderTerm leaderTerm;
    private final TableSnapshot backup;
    private final TableIds numbers;
    private final TableName table;
    private final Listener listener;
    private final BackupRecord[] records;
    private int[] versions = {};
    private long id;

    /** How it ended. */
    interface Listener {
        void copied();

        /** What was copied may be left. */
        void failed(UniserveException error);

        /** A write was refused or its outcome is not known: what was copied may be left. */
        void unconfirmed(Written written);
    }

    /** @param table the name under whose records those of the copies are */
    BackupPartCopier(BackupOperation job, TableSnapshot backup, TableIds numbers, TableName table, Listener listener) {
        this.job = job;
        this.leaderTerm = job.reign();
        this.backup = backup;
        this.numbers = numbers;
        this.table = table;
        this.listener = listener;
        this.records = new BackupRecord[backup.actors()];
    }

    /** The new table's number. */
    long id() {
        return id;
    }

    /** Of each actor. */
    List<BackupRecord> records() {
        return List.of(records);
    }

    /** An actor that the first of these servers takes over from what was copied. */
    static ActorState takenOver(BackupRecord copied, List<ServerId> replicas, Collection<ServerId> readers) {
        long epoch = copied.epoch() + 1;
        ServerId primary = replicas.get(0);
        List<Fencing> fencing =
                readers.stream().map(server -> new Fencing(server, epoch)).toList();
        return new ActorState(
                copied.key().actor(), epoch, primary, List.of(primary), List.of(), fencing, replicas, Map.of(), epoch);
    }

    /** True once a record may be there. */
    boolean begun() {
        return id > 0;
    }

    void run() {
        numbers.next(this::reserve, listener::failed);
    }

    private void reserve(long least) {
        ClusterRecord cluster = leaderTerm.catalog().cluster();
        long number = Math.max(least, cluster.nextTableId());
        ClusterRecord next = cluster.next(number + 1);
        Op op = new Op.Set(RegistryPaths.CLUSTER, next, leaderTerm.catalog().clusterVersion());
        leaderTerm.registry().write(List.of(op), written -> {
            if (written.applied()) {
                leaderTerm.catalog().setCluster(next, written.versions().get(0));
                id = number;
                for (int actor = 0; actor < records.length; actor++) {
                    records[actor] = new BackupRecord(new ReplicaKey(id, actor), false, 1, 0, "", 0);
                }
                write(() -> job.each(records.length, this::copy, this::copied));
            } else {
                readNumbers(() -> listener.unconfirmed(written));
            }
        });
    }

    /** The number may be taken, whatever was heard: with an old version of the record none could be taken ever again. */
    private void readNumbers(Runnable then) {
        leaderTerm
                .registry()
                .synced(() -> leaderTerm.catalog().reloadCluster(new CatalogManager.Then() {
                    @Override
                    public void done() {
                        then.run();
                    }

                    @Override
                    public void failed(UniserveException error) {
                        then.run();
                    }
                }));
    }

    /** Writes the records as they are now. */
    void write(Runnable then) {
        write(0, new int[records.length], then);
    }

    private void write(int from, int[] made, Runnable then) {
        if (from >= records.length) {
            versions = made;
            then.run();
            return;
        }
        List<Op> ops = new ArrayList<>();
        int to = Math.min(records.length, from + RECORDS_PER_WRITE);
        for (int actor = from; actor < to; actor++) {
            String path = path(actor);
            ops.add(
                    versions.length == 0
                            ? new Op.Create(path, records[actor], false)
                            : new Op.Set(path, records[actor], versions[actor]));
        }
        if (from == 0 && versions.length == 0) {
            ops.add(Tombstones.create(id, table, Tombstone.Reason.RESTORING));
        }
        leaderTerm.registry().write(ops, done -> {
            if (done.applied()) {
                for (int actor = from; actor < to; actor++) {
                    made[actor] = done.versions().get(actor - from);
                }
                write(to, made, then);
            } else {
                listener.unconfirmed(done);
            }
        });
    }

    /** That the records are there as they were written last. */
    List<Op> checks() {
        List<Op> ops = new ArrayList<>();
        for (int actor = 0; actor < versions.length; actor++) {
            ops.add(new Op.Check(path(actor), versions[actor]));
        }
        return ops;
    }

    private String path(int actor) {
        return RegistryPaths.backup(table, new ReplicaKey(id, actor));
    }

    private void copy(int actor, Completion<Done> then) {
        ReplicaKey target = new ReplicaKey(id, actor);
        job.ask(new ArchiveRequest.Copy(backup.encode(), actor, target), PeerReply.Copied.class, outcome -> {
            if (outcome instanceof Outcome.Err<PeerReply.Copied> err) {
                then.done(Outcome.err(BackupHandler.damaged(backup, actor, err.error())));
                return;
            }
            BackupRecord copied = outcome.value().record();
            if (copied.key().equals(target)) {
                records[actor] = copied;
                then.done(Outcome.ok(Done.DONE));
            } else {
                then.done(Outcome.err(new UniserveException(
                        ErrorCode.INTERNAL, "a server copied " + copied.key() + ", not " + target)));
            }
        });
    }

    private void copied(Outcome<Done> outcome) {
        if (outcome instanceof Outcome.Err<Done> err) {
            listener.failed(err.error());
        } else if (job.answer().isOpen()) {
            listener.copied();
        } else {
            listener.failed(new UniserveException(
                    ErrorCode.UNAVAILABLE, "nobody waits any more for the restoration of " + table));
        }
    }
}
