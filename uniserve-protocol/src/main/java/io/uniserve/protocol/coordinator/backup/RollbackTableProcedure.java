package io.uniserve.protocol.coordinator.backup;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.Tombstone;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.placement.ServerView;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.TombstoneStore;
import io.uniserve.protocol.coordinator.table.TableIdAllocator;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.AdminReply;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Procedure that replaces an atomic table that has lost an actor by the contents of a backup. It copies the parts under a new table number.
 * One multi then replaces definition, map, transaction log and backup records. Before the multi nothing has changed, and after it requests
 * for the old number find the table gone. Version numbers continue, so no version stands for two states.
 */
final class RollbackTableProcedure {
    private static final Logger LOG = LoggerFactory.getLogger(RollbackTableProcedure.class);
    private static final int ATTEMPTS_MAX = 20;

    private final BackupOperation job;
    private final LeaderContext leader;
    private final TableSnapshot backup;
    private final TableMeta old;
    private final BooleanSupplier lost;
    private final BackupPartCopier copier;
    private int attempts;
    /** Znode version of the map whose backup records this attempt reads. */
    private int readVersion;

    RollbackTableProcedure(BackupOperation job, TableSnapshot backup, TableIdAllocator numbers, BooleanSupplier lost) {
        this.job = job;
        this.leader = job.leader();
        this.backup = backup;
        this.old = backup.meta();
        this.lost = lost;
        this.copier = new BackupPartCopier(job, backup, numbers, old.name(), new CopyListener());
    }

    void start() {
        copier.run();
    }

    private final class CopyListener implements BackupPartCopier.Listener {
        @Override
        public void onCopied() {
            copier.write(RollbackTableProcedure.this::attempt);
        }

        @Override
        public void onFailed(UniserveException error) {
            fail(error);
        }

        @Override
        public void onUnconfirmed(WriteResult written) {
            UniserveException refused = written.error();
            fail(refused != null ? refused : unavailable("the registry did not confirm the new backup records"));
        }
    }

    private static UniserveException unavailable(String why) {
        return new UniserveException(ErrorCode.UNAVAILABLE, why);
    }

    /** Reads the nodes that the write replaces: backup records, then the outcomes, then the transaction log. */
    private void attempt() {
        Table table = leader.catalog().find(old.name());
        if (!job.reply().isOpen()) {
            return;
        }
        if (table != null && table.meta.tableId() == copier.tableId()) {
            onReplaced(); // the reply to the write was lost
        } else if (table == null || table.meta.tableId() != old.tableId()) {
            fail(unavailable("the table was dropped meanwhile"));
        } else if (!lost.getAsBoolean()) {
            fail(unavailable("a replica of the lost actor is back"));
        } else if (attempts++ == ATTEMPTS_MAX) {
            fail(unavailable("the table changed during every attempt to replace it"));
        } else if (table.writePending || table.stale) {
            retryLater();
        } else {
            readVersion = table.mapVersion();
            TableMap map = table.map();
            leader.registry().afterSync(() -> readNext(table, map, new ArrayList<>()));
        }
    }

    private void retryLater() {
        leader.retryLater();
        leader.registry().after(leader.config().tickNanos() / 4, this::attempt);
    }

    /** Reads the backup records of the actors of this map, one after the other. */
    private void readNext(Table table, TableMap map, List<Versioned> records) {
        boolean more = records.size() < map.actors().size();
        String path = more ? recordPath(map, records.size()) : RegistryPaths.outcomes(old.name(), old.tableId());
        leader.registry().read(path, read -> {
            if (!(read instanceof Outcome.Ok<Versioned> ok) || table.mapVersion() != readVersion) {
                retryLater();
            } else if (more) {
                records.add(ok.value());
                readNext(table, map, records);
            } else {
                readLog(table, map, records, ok.value());
            }
        });
    }

    /** Path of the backup record of the actor at this place of the map. */
    private String recordPath(TableMap map, int at) {
        int actor = map.actors().get(at).actor();
        return RegistryPaths.backup(old.name(), new ReplicaKey(old.tableId(), actor));
    }

    private void readLog(Table table, TableMap map, List<Versioned> records, Versioned outcomes) {
        leader.registry().read(RegistryPaths.log(old.name(), old.tableId()), read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() != null) {
                write(table, map, records, outcomes, ok.value());
            } else {
                retryLater();
            }
        });
    }

    private void write(Table table, TableMap before, List<Versioned> found, Versioned outcomes, Versioned log) {
        boolean same = leader.catalog().find(old.name()) == table
                && table.mapVersion() == readVersion
                && !table.writePending
                && !table.stale
                && lost.getAsBoolean();
        if (!same || !(log.value() instanceof TransactionLogState known)) {
            retryLater();
            return;
        }
        TableMeta meta = table.meta.withNameAndId(old.name(), copier.tableId());
        TableMap map;
        try {
            map = restoredMap(table, known.nextVersion());
        } catch (UniserveException | IllegalArgumentException e) {
            fail(unavailable("no servers for the restored table: " + e.getMessage()));
            return;
        }
        long version = backup.version();
        TransactionLogState versions =
                TransactionLogState.restored(copier.tableId(), version, known.nextVersion(), map.expiredBefore());
        List<Op> ops = new ArrayList<>();
        ops.add(new Op.Set(RegistryPaths.meta(old.name()), meta, table.metaVersion));
        ops.add(new Op.Set(RegistryPaths.map(old.name()), map, table.mapVersion()));
        ops.add(new Op.Delete(RegistryPaths.log(old.name(), old.tableId()), log.version()));
        ops.add(new Op.Create(RegistryPaths.log(old.name(), copier.tableId()), versions, false));
        if (outcomes.version() != Registry.ABSENT) {
            ops.add(new Op.Delete(RegistryPaths.outcomes(old.name(), old.tableId()), outcomes.version()));
        }
        ops.add(TombstoneStore.create(old.tableId(), old.name(), Tombstone.Reason.REPLACED));
        ops.add(TombstoneStore.delete(copier.tableId()));
        ops.addAll(copier.checks());
        for (int at = 0; at < found.size(); at++) {
            int recorded = found.get(at).version();
            if (recorded != Registry.ABSENT) { // an actor that was lost before its first tick has no record
                ops.add(new Op.Delete(recordPath(before, at), recorded));
            }
        }
        table.writePending = true;
        leader.registry().write(ops, done -> {
            table.writePending = false;
            if (done.isApplied()) {
                LOG.warn(
                        "{}: actors were lost for good; the table is restored at version {} as number {}, versions"
                                + " {} to {} of number {} are lost if they were committed; backup {} has the old data",
                        old.name(),
                        version,
                        copier.tableId(),
                        version + 1,
                        known.nextVersion() - 1,
                        old.tableId(),
                        backup.name());
                leader.catalog()
                        .put(meta, done.versions().get(0), map, done.versions().get(1));
                leader.routingChanged();
                leader.reconcileSoon();
                onReplaced();
            } else if (done.error() != null) {
                fail(done.error());
            } else {
                table.stale = true; // the next pass reads the table again and finds the result
                retryLater();
            }
        });
    }

    /**
     * The map after the restoration. Servers that may still answer reads for the old number are fenced like removed replicas. Chunks that
     * have expired meanwhile are left out, and so are chunks that were made meanwhile: all of their versions are lost.
     *
     * @param next version of the next update
     */
    private TableMap restoredMap(Table table, long next) {
        boolean time = old.partitioner() instanceof Partitioner.Time;
        TableSnapshot live = backup.withoutChunksBefore(table.map().expiredBefore());
        List<ServerView> eligible = leader.clusterView().eligible(old.port());
        int rf = Math.max(1, Math.min(old.rf(), eligible.size()));
        List<List<ServerId>> places = live.actors().count() == 0
                ? List.of()
                : leader.placement().place(live.actors().count(), rf, eligible);
        List<ActorState> actors = new ArrayList<>();
        for (BackupRecord record : copier.records()) {
            int number = record.key().actor();
            ActorState row = table.map().find(number);
            if (row == null) {
                continue;
            }
            TreeSet<ServerId> readers = new TreeSet<>(row.isr());
            row.fencing().forEach(fencing -> readers.add(fencing.server()));
            actors.add(BackupPartCopier.restoredActor(record, places.get(actors.size()), readers, time ? next : 0)
                    .withCopies(row.copies()));
        }
        int generation = time ? 1 : 0;
        return new TableMap(old.name(), copier.tableId(), actors, live.actors().expiredBefore(), generation);
    }

    private void onReplaced() {
        job.reply().ok(new AdminReply.Ack());
    }

    private void fail(UniserveException error) {
        if (copier.hasStarted()) {
            leader.droppedTables().addAll(List.of(old.name()));
        }
        job.reply().fail(error);
    }
}
