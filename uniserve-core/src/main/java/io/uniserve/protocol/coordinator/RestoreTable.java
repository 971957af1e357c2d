package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.BackupRecord;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.archive.TableSnapshot;
import io.uniserve.protocol.coordinator.FencedRegistry.Written;
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
 */
final class RestoreTable {
    private static final Logger LOG = LoggerFactory.getLogger(RestoreTable.class);

    private final BackupOperation job;
    private final LeaderContext leader;
    private final TableSnapshot backup;
    private final TableMeta asked;
    private final BackupPartCopier copies;

    RestoreTable(BackupOperation job, TableSnapshot backup, TableName as, TableIds numbers) {
        this.job = job;
        this.leader = job.leader();
        this.backup = backup;
        this.asked = backup.meta().as(as, 0);
        this.copies = new BackupPartCopier(job, backup, numbers, as, new Copied());
    }

    void start() {
        TableValidator.check(asked, leader.config().levels());
        if (leader.catalog().tables().size() >= Limits.TABLES_MAX) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the cluster has " + Limits.TABLES_MAX + " tables, the limit: drop one first");
        }
        if (leader.droppedTables().pending(asked.name())) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "objects of the dropped table " + asked.name() + " are being deleted: retry later");
        }
        List<ServerRecord> usable = leader.usable();
        TableValidator.check(asked, usable, leader.silent());
        PortValidation.run(leader, usable, new PeerRequest.ValidateTable(asked), job.answer(), copies::run);
    }

    private final class Copied implements BackupPartCopier.Listener {
        @Override
        public void copied() {
            copies.write(RestoreTable.this::create);
        }

        @Override
        public void failed(UniserveException error) {
            fail(error);
        }

        @Override
        public void unconfirmed(Written written) {
            RestoreTable.this.unconfirmed(written);
        }
    }

    private void create() {
        List<List<ServerId>> places;
        try {
            places = leader.placement()
                    .place(backup.actors(), asked.rf(), leader.view().eligible(asked.port()));
        } catch (IllegalArgumentException | UniserveException e) {
            fail(UniserveException.invalid(
                    "too few live servers still offer port \"" + asked.port() + "\": " + e.getMessage()));
            return;
        }
        long id = copies.id();
        TableMeta meta = asked.as(asked.name(), id);
        List<ActorState> actors = new ArrayList<>();
        for (BackupRecord record : copies.records()) {
            actors.add(BackupPartCopier.takenOver(record, places.get(actors.size()), List.of()));
        }
        TableMap map = new TableMap(meta.name(), id, actors);
        List<Op> ops = new ArrayList<>(List.of(
                new Op.Create(RegistryPaths.meta(meta.name()), meta, false),
                new Op.Create(RegistryPaths.map(meta.name()), map, false),
                Tombstones.delete(id)));
        if (meta.level() != ConsistencyLevel.EVENTUAL) {
            long version = backup.version();
            TransactionLogState log =
                    new TransactionLogState(id, version, backup.newest() + 1, null, List.of(), version);
            ops.add(new Op.Create(RegistryPaths.log(meta.name(), id), log, false));
        }
        leader.registry().write(ops, done -> {
            if (done.applied()) {
                LOG.info("table {} (number {}): restored from backup {}", meta.name(), id, backup.name());
                leader.catalog()
                        .put(meta, done.versions().get(0), map, done.versions().get(1));
                leader.routingChanged();
                leader.wake();
                new TableReadiness(leader, meta.name(), id, job.answer(), Limits.BACKUP_ACTOR_MS_MAX * 1_000_000)
                        .start();
            } else {
                unconfirmed(done);
            }
        });
    }

    /** Reads the catalog again after an unconfirmed write, before copies are deleted: the table may exist. */
    private void unconfirmed(Written done) {
        UniserveException refused = done.error();
        UniserveException error = refused != null
                ? refused
                : new UniserveException(
                        ErrorCode.OUTCOME_UNKNOWN,
                        "the registry did not confirm the restoration of " + asked.name()
                                + ": describe the table, and restore it again if it is absent");
        Runnable ended = () -> fail(error);
        leader.registry()
                .synced(() -> leader.catalog()
                        .reloadCluster(then(() -> leader.catalog().reload(asked.name(), then(ended, ended)), ended)));
    }

    private static CatalogManager.Then then(Runnable done, Runnable failed) {
        return new CatalogManager.Then() {
            @Override
            public void done() {
                done.run();
            }

            @Override
            public void failed(UniserveException error) {
                LOG.warn("catalog: reload failed: {}", error.getMessage());
                failed.run();
            }
        };
    }

    private void fail(UniserveException error) {
        if (copies.begun()) {
            leader.droppedTables().addAll(List.of(asked.name()));
        }
        job.answer().fail(error);
    }
}
