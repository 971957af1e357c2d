package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.BackupRecord;
import io.uniserve.model.ClusterRecord;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.model.TableLog;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.archive.TableBackup;
import io.uniserve.protocol.coordinator.TermRegistry.Written;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a table from a backup: a new number; a backup record for each actor, so that what follows is found and deleted
 * whoever ends it; the parts copied as the new actors' own continuous backups; then, in one write, definition and map, in
 * which each actor is to be taken over from durable storage. From there on it is a takeover like any other.
 */
final class TableRestorer {
    private static final Logger LOG = LoggerFactory.getLogger(TableRestorer.class);
    private static final int RECORDS_PER_WRITE = 256;

    private final BackupJob job;
    private final Reign reign;
    private final TableBackup backup;
    private final TableMeta asked;
    private final TableNumbers numbers;
    private final BackupRecord[] records;
    private int[] written = {};
    private long id;
    private boolean recorded;

    TableRestorer(BackupJob job, TableBackup backup, TableName as, TableNumbers numbers) {
        this.job = job;
        this.reign = job.reign();
        this.backup = backup;
        this.asked = named(backup.meta(), as, 0);
        this.numbers = numbers;
        this.records = new BackupRecord[backup.actors()];
    }

    private static TableMeta named(TableMeta meta, TableName name, long id) {
        return new TableMeta(
                name,
                id,
                meta.partitioner(),
                meta.keyField(),
                meta.level(),
                meta.rf(),
                meta.minIsr(),
                meta.onLoss(),
                meta.port(),
                meta.options());
    }

    void start() {
        TableRules.check(asked, reign.config().levels());
        if (reign.catalog().tables().size() >= Limits.TABLES_MAX) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the cluster has " + Limits.TABLES_MAX + " tables, the limit: drop one first");
        }
        if (reign.sweeper().pending(asked.name())) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "what a dropped table " + asked.name() + " left is being deleted: try again");
        }
        List<ServerRecord> usable = reign.usable();
        TableRules.check(asked, usable);
        PortCheck.run(
                reign,
                usable,
                new PeerRequest.ValidateTable(asked),
                job.answer(),
                () -> numbers.next(this::reserve, job.answer()::fail));
    }

    private void reserve(long least) {
        ClusterRecord cluster = reign.catalog().cluster();
        id = Math.max(least, cluster.nextTableId());
        ClusterRecord next = cluster.next(id + 1);
        Op op = new Op.Set(RegistryPaths.CLUSTER, next, reign.catalog().clusterVersion());
        reign.registry().write(List.of(op), written -> {
            if (written.applied()) {
                reign.catalog().setCluster(next, written.versions().get(0));
                for (int actor = 0; actor < records.length; actor++) {
                    records[actor] = new BackupRecord(new ReplicaKey(id, actor), false, 1, 0, "", 0);
                }
                recorded = true;
                record(0, new int[records.length], versions -> job.each(records.length, this::copy, this::copied));
            } else {
                unconfirmed(written);
            }
        });
    }

    /** Writes the records, made or changed; the versions are those in the registry, replaced by the new ones. */
    private void record(int from, int[] versions, Consumer<int[]> then) {
        if (from >= records.length) {
            written = versions;
            then.accept(versions);
            return;
        }
        List<Op> ops = new ArrayList<>();
        int to = Math.min(records.length, from + RECORDS_PER_WRITE);
        for (int actor = from; actor < to; actor++) {
            String path = RegistryPaths.backup(asked.name(), actor);
            ops.add(
                    written.length == 0
                            ? new Op.Create(path, records[actor], false)
                            : new Op.Set(path, records[actor], written[actor]));
        }
        reign.registry().write(ops, done -> {
            if (done.applied()) {
                for (int actor = from; actor < to; actor++) {
                    versions[actor] = done.versions().get(actor - from);
                }
                record(to, versions, then);
            } else {
                unconfirmed(done);
            }
        });
    }

    private void copy(int actor, Completion<Done> then) {
        ReplicaKey target = new ReplicaKey(id, actor);
        job.ask(new ArchiveRequest.Copy(backup.encode(), actor, target), PeerReply.Copied.class, outcome -> {
            if (outcome instanceof Outcome.Err<PeerReply.Copied> err) {
                then.done(Outcome.err(BackupOffice.damaged(backup, actor, err.error())));
                return;
            }
            BackupRecord copied = ((Outcome.Ok<PeerReply.Copied>) outcome).value().record();
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
            fail(err.error());
        } else if (job.answer().isOpen()) {
            record(0, new int[records.length], versions -> create());
        }
    }

    private void create() {
        List<List<ServerId>> places;
        try {
            places = reign.placement()
                    .place(records.length, asked.rf(), reign.view().eligible(asked.port()));
        } catch (IllegalArgumentException | UniserveException e) {
            fail(UniserveException.invalid(
                    "too few live servers offer port \"" + asked.port() + "\" by now: " + e.getMessage()));
            return;
        }
        TableMeta meta = named(asked, asked.name(), id);
        List<ActorState> actors = new ArrayList<>();
        for (BackupRecord record : records) {
            List<ServerId> replicas = places.get(actors.size());
            long epoch = record.epoch() + 1;
            ServerId primary = replicas.get(0);
            actors.add(new ActorState(
                    actors.size(), epoch, primary, List.of(primary), List.of(), List.of(), replicas, Map.of(), epoch));
        }
        TableMap map = new TableMap(meta.name(), id, actors);
        List<Op> ops = new ArrayList<>(List.of(
                new Op.Create(RegistryPaths.meta(meta.name()), meta, false),
                new Op.Create(RegistryPaths.map(meta.name()), map, false)));
        if (meta.level() != ConsistencyLevel.EVENTUAL) {
            long version = backup.version();
            TableLog log = new TableLog(id, version, version + 1, null, List.of(), version);
            ops.add(new Op.Create(RegistryPaths.log(meta.name()), log, false));
        }
        reign.registry().write(ops, done -> {
            if (done.applied()) {
                LOG.info("table {} (number {}) is restored from backup {}", meta.name(), id, backup.name());
                reign.catalog()
                        .put(meta, done.versions().get(0), map, done.versions().get(1));
                reign.routingChanged();
                reign.wake();
                new ReadinessPoll(reign, meta.name(), id, job.answer(), Limits.BACKUP_ACTOR_MS_MAX * 1_000_000).start();
            } else {
                unconfirmed(done);
            }
        });
    }

    /** What was written is read again before anything is swept: the table may be there. */
    private void unconfirmed(Written done) {
        UniserveException refused = done.error();
        UniserveException error = refused != null
                ? refused
                : new UniserveException(
                        ErrorCode.OUTCOME_UNKNOWN,
                        "the registry did not confirm the restoration of " + asked.name()
                                + ": describe the table, restore it again if absent");
        Runnable ended = () -> fail(error);
        reign.registry()
                .synced(() -> reign.catalog()
                        .reloadCluster(then(() -> reign.catalog().reload(asked.name(), then(ended, ended)), ended)));
    }

    private static CatalogManager.Then then(Runnable done, Runnable failed) {
        return new CatalogManager.Then() {
            @Override
            public void done() {
                done.run();
            }

            @Override
            public void failed(UniserveException error) {
                LOG.warn("the catalog cannot be read again: {}", error.getMessage());
                failed.run();
            }
        };
    }

    private void fail(UniserveException error) {
        if (recorded) {
            reign.sweeper().addAll(List.of(asked.name()));
        }
        job.answer().fail(error);
    }
}
