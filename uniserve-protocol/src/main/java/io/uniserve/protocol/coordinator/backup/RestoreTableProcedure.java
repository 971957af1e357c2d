package io.uniserve.protocol.coordinator.backup;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.CatalogManager;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.TombstoneStore;
import io.uniserve.protocol.coordinator.table.PortTableValidator;
import io.uniserve.protocol.coordinator.table.TableIdAllocator;
import io.uniserve.protocol.coordinator.table.TableReadinessWaiter;
import io.uniserve.protocol.coordinator.table.TableValidator;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Procedure that restores a table from a backup, under a new table number. It first writes a backup record per actor, so that an
 * interrupted restoration is found and deleted. Then it copies the parts as continuous backups of the new actors. One multi then creates
 * definition and map, in which each actor is to be taken over from durable storage. The rest is a normal takeover.
 *
 * <p>Chunks of a TIME table that are expired by the leader's clock at the start are left out, and the map's watermark is above them. A chunk
 * that expires later is dropped by the next pass over the map.
 */
public final class RestoreTableProcedure {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreTableProcedure.class);

    private final BackupOperation job;
    private final LeaderContext leader;
    private final TableSnapshot backup;
    private final TableMeta requested;
    private final BackupPartCopier copier;

    RestoreTableProcedure(BackupOperation job, TableSnapshot whole, TableName as, TableIdAllocator numbers) {
        this.job = job;
        this.leader = job.leader();
        this.backup = whole.liveAt(leader.env().clock().wallMillis());
        if (backup.actors().count() < whole.actors().count()) {
            LOG.info(
                    "backup {}: {} of {} actors are of chunks that are expired now, they are not restored",
                    whole.name(),
                    whole.actors().count() - backup.actors().count(),
                    whole.actors().count());
        }
        this.requested = backup.meta().withNameAndId(as, 0);
        this.copier = new BackupPartCopier(job, backup, numbers, as, new CopyListener());
    }

    public void start() {
        TableValidator.check(requested, leader.config().levels());
        if (leader.catalog().tables().size() >= Limits.TABLES_MAX) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the cluster has " + Limits.TABLES_MAX + " tables, the limit: drop one first");
        }
        if (leader.droppedTables().isPending(requested.name())) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "objects of the dropped table " + requested.name() + " are being deleted: retry later");
        }
        List<ServerRecord> usable = leader.usableServers();
        TableValidator.check(requested, usable, leader.silentServers());
        PortTableValidator.run(leader, usable, new PeerRequest.ValidateTable(requested), job.reply(), copier::run);
    }

    private final class CopyListener implements BackupPartCopier.Listener {
        @Override
        public void onCopied() {
            copier.write(RestoreTableProcedure.this::create);
        }

        @Override
        public void onFailed(UniserveException error) {
            fail(error);
        }

        @Override
        public void onUnconfirmed(WriteResult written) {
            RestoreTableProcedure.this.onUnconfirmed(written);
        }
    }

    private void create() {
        List<List<ServerId>> places;
        try {
            places = backup.actors().count() == 0
                    ? List.of()
                    : leader.placement()
                            .place(
                                    backup.actors().count(),
                                    requested.rf(),
                                    leader.clusterView().eligible(requested.port()));
        } catch (IllegalArgumentException | UniserveException e) {
            fail(UniserveException.invalid(
                    "too few live servers still offer port \"" + requested.port() + "\": " + e.getMessage()));
            return;
        }
        long id = copier.tableId();
        TableMeta meta = requested.withNameAndId(requested.name(), id);
        boolean atomic = meta.level() != ConsistencyLevel.EVENTUAL;
        long next = atomic && meta.partitioner() instanceof Partitioner.Time ? backup.newest() + 1 : 0;
        List<ActorState> actors = new ArrayList<>();
        for (BackupRecord record : copier.records()) {
            actors.add(BackupPartCopier.restoredActor(record, places.get(actors.size()), List.of(), next));
        }
        int generation = meta.partitioner() instanceof Partitioner.Time ? 1 : 0;
        TableMap map = new TableMap(meta.name(), id, actors, backup.actors().expiredBefore(), generation);
        List<Op> ops = new ArrayList<>(List.of(
                new Op.Create(RegistryPaths.meta(meta.name()), meta, false),
                new Op.Create(RegistryPaths.map(meta.name()), map, false),
                TombstoneStore.delete(id)));
        if (atomic) {
            TransactionLogState log = TransactionLogState.restored(
                    id, backup.version(), backup.newest() + 1, backup.actors().expiredBefore());
            ops.add(new Op.Create(RegistryPaths.log(meta.name(), id), log, false));
        }
        leader.registry().write(ops, done -> {
            if (done.isApplied()) {
                LOG.info("table {} (number {}): restored from backup {}", meta.name(), id, backup.name());
                leader.catalog()
                        .put(meta, done.versions().get(0), map, done.versions().get(1));
                leader.routingChanged();
                leader.reconcileSoon();
                new TableReadinessWaiter(leader, meta.name(), id, job.reply(), Limits.BACKUP_ACTOR_MS_MAX * 1_000_000)
                        .start();
            } else {
                onUnconfirmed(done);
            }
        });
    }

    /** Reads the catalog again after an unconfirmed write, before copies are deleted: the table may exist. */
    private void onUnconfirmed(WriteResult done) {
        UniserveException refused = done.error();
        UniserveException error = refused != null
                ? refused
                : new UniserveException(
                        ErrorCode.OUTCOME_UNKNOWN,
                        "the registry did not confirm the restoration of " + requested.name()
                                + ": describe the table, and restore it again if it is absent");
        Runnable ended = () -> fail(error);
        leader.registry()
                .afterSync(() -> leader.catalog()
                        .reloadCluster(then(
                                () -> leader.catalog().reload(requested.name(), then(ended, ended)), ended)));
    }

    private static CatalogManager.LoadCallback then(Runnable done, Runnable failed) {
        return new CatalogManager.LoadCallback() {
            @Override
            public void onLoaded() {
                done.run();
            }

            @Override
            public void onFailed(UniserveException error) {
                LOG.warn("catalog: reload failed: {}", error.getMessage());
                failed.run();
            }
        };
    }

    private void fail(UniserveException error) {
        if (copier.hasStarted()) {
            leader.droppedTables().addAll(List.of(requested.name()));
        }
        job.reply().fail(error);
    }
}
