package io.uniserve.protocol.coordinator.backup;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.table.StorageRequestClient;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Procedure that takes a backup of a table. It stores a marker of the start, has each primary ship its log and store a pin, and then stores
 * the manifest with all parts. For a lost table that only durable storage has, it salvages the parts instead. A failed backup is deleted
 * again. An interrupted one is replaced when the backup is taken again.
 */
final class CreateBackupProcedure {
    private static final Logger LOG = LoggerFactory.getLogger(CreateBackupProcedure.class);
    private static final int ATTEMPTS_MAX = 60;
    private static final int ROUNDS_MAX = 20;

    /** Attempts whatever the error is, as a replica of a chunk that has just expired may answer with any error. */
    private static final int EXPIRED_ATTEMPTS_MAX = 10;

    private static final long PIN_TIMEOUT_NANOS = 60_000_000_000L;

    private final BackupOperation job;
    private final TableMeta meta;
    private final boolean salvage;
    private final String id;
    private final TreeMap<Integer, TableSnapshot.Part> parts = new TreeMap<>();
    /** Names every actor that may have a pin. */
    private TableSnapshot startMarker;

    private TableSnapshot.Actors actors = new TableSnapshot.Actors(List.of(), 0);
    private Set<Integer> unshipped = Set.of();
    private final Completion<TableSnapshot> completion;
    private RestorePointFinder.@Nullable RestorePoint restorePoint;
    private boolean stored;
    private boolean replace;
    private @Nullable IntPredicate isLost;
    private long version;
    private long newest;
    private int rounds;

    /** @param completion gets the complete backup, or the error */
    CreateBackupProcedure(BackupOperation job, TableMeta meta, boolean salvage, Completion<TableSnapshot> completion) {
        this.completion = completion;
        this.job = job;
        this.meta = meta;
        this.salvage = salvage;
        this.id = "%016x".formatted(job.leader().env().ids().next());
        this.startMarker = started(actors);
    }

    private TableSnapshot started(TableSnapshot.Actors named) {
        String cluster = job.leader().config().clusterId();
        return new TableSnapshot(job.name(), id, cluster, meta, 0, 0, named, Optional.empty());
    }

    /**
     * Deletes an existing backup of this name first, complete or not. The table is a table of this cluster that is to be restored.
     *
     * @param lostForGood whether an actor is lost for good
     */
    CreateBackupProcedure replaceExisting(IntPredicate lostForGood) {
        replace = true;
        isLost = lostForGood;
        return this;
    }

    void start() {
        job.call(new ArchiveRequest.FindBackups(job.name().value()), PeerReply.Archives.class, outcome -> {
            if (outcome instanceof Outcome.Ok<PeerReply.Archives> ok) {
                deleteOld(new ArrayDeque<>(ok.value().backups()));
            } else {
                fail(outcome.error());
            }
        });
    }

    private void deleteOld(ArrayDeque<BackupInfo> old) {
        BackupInfo one = old.poll();
        if (one == null) {
            findActors(this::chooseVersion);
        } else if (one.state() != BackupInfo.State.INCOMPLETE && !replace) {
            fail(new UniserveException(
                    ErrorCode.BACKUP_EXISTS, "backup " + job.name() + " exists: delete it first or use another name"));
        } else {
            new DeleteBackupProcedure(job, one).run(done -> {
                if (done instanceof Outcome.Err<Done> err) {
                    fail(err.error());
                } else {
                    deleteOld(old);
                }
            });
        }
    }

    /** Finds the actors of the backup, and stores a marker with those that no marker has. */
    private void findActors(Runnable then) {
        boolean onlyStored = salvage && isLost == null;
        new BackupActorFinder(job, meta, found -> {
                    if (found instanceof Outcome.Ok<BackupActorFinder.Found> ok) {
                        actors = ok.value().actors();
                        unshipped = ok.value().empty();
                        storeStartMarker(then);
                    } else if (stored) {
                        deletePartial(found.error());
                    } else {
                        fail(found.error());
                    }
                })
                .find(onlyStored);
    }

    private void storeStartMarker(Runnable then) {
        TreeSet<Integer> all = new TreeSet<>(startMarker.actors().numbers());
        if (!all.addAll(actors.numbers()) && stored) {
            then.run();
            return;
        }
        int least = all.isEmpty() ? actors.expiredBefore() : firstChunk(all.first());
        startMarker = started(new TableSnapshot.Actors(List.copyOf(all), Math.min(least, actors.expiredBefore())));
        stored = true;
        job.callForAck(new ArchiveRequest.StoreManifest(startMarker.encode()), outcome -> {
            if (outcome instanceof Outcome.Ok<Done>) {
                then.run();
            } else {
                deletePartial(outcome.error());
            }
        });
    }

    private int firstChunk(int actor) {
        return meta.partitioner() instanceof Partitioner.Time time ? time.ordinalOf(actor) : 0;
    }

    /**
     * Chooses the version of the backup: all parts have the same one. It is the newest committed version now, or a newer one in a later
     * round if an actor no longer has it. The map is read after the version, because chunks may be made meanwhile: so every participant of
     * the version is in the map, or expired.
     */
    private void chooseVersion() {
        if (meta.level() == ConsistencyLevel.EVENTUAL) {
            pinAllParts();
            return;
        }
        if (salvage) {
            new RestorePointFinder(job, meta, actors, isLost, this::onRestorePoint).start();
            return;
        }
        rounds++;
        readTransactionLog(ATTEMPTS_MAX, log -> {
            version = log.committedVersion();
            if (isTime()) {
                findActors(this::pinAllParts);
            } else {
                pinAllParts();
            }
        });
    }

    private void readTransactionLog(int attempt, Consumer<TransactionLogState> then) {
        FencedRegistry registry = job.leader().registry();
        registry.afterSync(() -> registry.read(RegistryPaths.log(meta.name(), meta.tableId()), read -> {
            if (read instanceof Outcome.Ok<Versioned> ok
                    && ok.value().value() instanceof TransactionLogState log
                    && log.tableId() == meta.tableId()) {
                then.accept(log);
            } else if (read instanceof Outcome.Err<Versioned> err) {
                if (attempt < ATTEMPTS_MAX && job.reply().isOpen()) {
                    registry.after(job.leader().config().tickNanos(), () -> readTransactionLog(attempt + 1, then));
                } else {
                    deletePartial(err.error());
                }
            } else {
                deletePartial(droppedError());
            }
        }));
    }

    /** Salvage has no transaction log: the shipped logs show the newest version that all actors have. */
    private void onRestorePoint(Outcome<RestorePointFinder.RestorePoint> outcome) {
        if (outcome instanceof Outcome.Ok<RestorePointFinder.RestorePoint> ok) {
            restorePoint = ok.value();
            version = restorePoint.version();
            newest = Math.max(version, restorePoint.newest());
            LOG.info("backup {} of table {}: restores version {}", job.name(), meta.name(), version);
            pinAllParts();
        } else {
            deletePartial(outcome.error());
        }
    }

    private void pinAllParts() {
        job.forEachActor(actors.numbers(), (actor, then) -> pinPart(actor, 1, then), this::onAllPinned);
    }

    /** Ordinal of the first chunk that is not expired now, by the leader's map or the stored logs; 0 if the table has no chunks. */
    private int expiredBefore() {
        Table table = job.leader().catalog().find(meta.tableId());
        int before = table == null ? actors.expiredBefore() : table.map().expiredBefore();
        return restorePoint == null ? before : Math.max(before, restorePoint.expiredBefore());
    }

    private boolean isExpired(int actor) {
        return meta.partitioner() instanceof Partitioner.Time time && time.ordinalOf(actor) < expiredBefore();
    }

    private UniserveException droppedError() {
        return new UniserveException(
                ErrorCode.TABLE_NOT_FOUND, "table " + meta.name() + " was dropped during its backup");
    }

    private void pinPart(int actor, int attempt, Completion<Done> then) {
        if (isExpired(actor)) { // left out; not at once, as a recursion over all actors would be too deep
            job.leader().registry().after(0, () -> then.done(Outcome.ok(Done.DONE)));
            return;
        }
        ReplicaKey key = new ReplicaKey(meta.tableId(), actor);
        Completion<PeerReply.Pinned> heard = outcome -> {
            if (outcome instanceof Outcome.Ok<PeerReply.Pinned> ok) {
                PeerReply.Pinned pinned = ok.value();
                if (restorePoint != null
                        && (pinned.index() == 0) != restorePoint.empty().contains(actor)) {
                    then.done(Outcome.err(new UniserveException(
                            ErrorCode.CORRUPT,
                            "durable storage has " + (pinned.index() == 0 ? "no" : "some") + " data of actor " + key
                                    + ", unlike at the survey before: retry")));
                    return;
                }
                parts.put(actor, new TableSnapshot.Part(pinned.sha256(), pinned.index(), pinned.bytes()));
                then.done(Outcome.ok(Done.DONE));
                return;
            }
            UniserveException error = outcome.error();
            boolean newRound = isAtomic() && error.code() == ErrorCode.VERSION_GONE;
            boolean transientError = error.code().retriable() || error.code() == ErrorCode.DEADLINE_EXCEEDED;
            boolean again = !newRound && (transientError || isTime() && attempt < EXPIRED_ATTEMPTS_MAX);
            if (again && attempt < ATTEMPTS_MAX && job.reply().isOpen()) {
                job.leader()
                        .registry()
                        .after(job.leader().config().tickNanos(), () -> pinPart(actor, attempt + 1, then));
            } else {
                then.done(Outcome.err(new UniserveException(
                        error.code(),
                        "actor " + actor + " of table " + meta.name() + " : backup failed: " + error.reason(),
                        error)));
            }
        };
        if (salvage) {
            boolean mayBeEmpty = unshipped.contains(actor);
            long all = mayBeEmpty ? Long.MAX_VALUE : 0;
            long before = !isAtomic() ? all : version + 1;
            job.call(new ArchiveRequest.PinLostActor(key, startMarker.id(), before), PeerReply.Pinned.class, heard);
        } else {
            callPrimary(key, heard);
        }
    }

    private void callPrimary(ReplicaKey key, Completion<PeerReply.Pinned> heard) {
        Table table = job.leader().catalog().find(meta.name());
        if (table == null || table.meta.tableId() != meta.tableId()) {
            heard.done(Outcome.err(droppedError()));
            return;
        }
        ServerRecord primary =
                job.leader().members().find(table.actor(key.actor()).primary());
        if (primary == null) {
            heard.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "no live primary")));
            return;
        }
        job.leader()
                .env()
                .network()
                .call(
                        primary.address(),
                        new PeerRequest.PinActor(meta.name(), key, startMarker.id(), version),
                        PIN_TIMEOUT_NANOS,
                        job.leader()
                                .registry()
                                .scoped(outcome ->
                                        heard.done(StorageRequestClient.typed(outcome, PeerReply.Pinned.class))));
    }

    private void onAllPinned(Outcome<Done> outcome) {
        if (outcome instanceof Outcome.Err<Done> err) {
            if (isAtomic() && err.error().code() == ErrorCode.VERSION_GONE && rounds < ROUNDS_MAX) {
                chooseVersion();
            } else {
                deletePartial(err.error());
            }
            return;
        }
        if (salvage) {
            storeManifest();
        } else if (meta.level() == ConsistencyLevel.EVENTUAL) {
            checkTableExists(this::storeManifest);
        } else {
            readTransactionLog(
                    1,
                    log -> { // repeat only this read if it fails: the parts are pinned
                        newest = log.nextVersion() - 1; // parts may have aborts of versions up to this one
                        storeManifest();
                    });
        }
    }

    /**
     * Confirms that the table still exists after all parts are pinned. Parts that were pinned after its drop may already be deleted. The
     * primaries' own checks of the map do not detect another table of the same name.
     */
    private void checkTableExists(Runnable then) {
        Table table = job.leader().catalog().find(meta.name());
        if (table == null || table.meta.tableId() != meta.tableId()) {
            deletePartial(droppedError());
            return;
        }
        Op still = new Op.Check(RegistryPaths.meta(meta.name()), table.metaVersion);
        job.leader().registry().write(List.of(still), checked -> {
            if (checked.isApplied()) {
                then.run();
            } else if (job.reply().isOpen()) {
                job.leader().registry().after(job.leader().config().tickNanos(), () -> checkTableExists(then));
            } else {
                deletePartial(new UniserveException(
                        ErrorCode.UNAVAILABLE, "the registry did not confirm that the table exists: retry"));
            }
        });
    }

    private void storeManifest() {
        TableSnapshot live = started(actors).withoutChunksBefore(expiredBefore());
        List<TableSnapshot.Part> all = new ArrayList<>();
        for (int actor : live.actors().numbers()) {
            all.add(Objects.requireNonNull(parts.get(actor)));
        }
        TableSnapshot whole = live.complete(version, newest, all);
        job.callForAck(new ArchiveRequest.StoreManifest(whole.encode()), stored -> {
            if (stored instanceof Outcome.Ok<Done>) {
                LOG.info("backup {} of table {} : complete, {} actors", job.name(), meta.name(), all.size());
                releaseExpired(whole);
            } else {
                deletePartial(stored.error());
            }
        });
    }

    /** Deletes the pins of actors that are left out, so that the files of their chunks can be deleted. */
    private void releaseExpired(TableSnapshot whole) {
        TreeSet<Integer> expired = new TreeSet<>(startMarker.actors().numbers());
        whole.actors().numbers().forEach(expired::remove);
        if (expired.isEmpty()) {
            completion.done(Outcome.ok(whole));
            return;
        }
        LOG.info(
                "backup {} of table {}: {} actors of chunks that expired meanwhile are left out, the first is {}",
                job.name(),
                meta.name(),
                expired.size(),
                expired.first());
        BoundedFanOut.Step release = (actor, then) -> job.callForAck(
                new ArchiveRequest.DeletePin(
                        meta.name(), whole.cluster(), new ReplicaKey(meta.tableId(), actor), whole.id()),
                then);
        job.forEachActor(List.copyOf(expired), release, released -> {
            if (released instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "backup {}: files of expired chunks stay until the backup is deleted: {}",
                        job.name(),
                        err.error().getMessage());
            }
            completion.done(Outcome.ok(whole));
        });
    }

    private boolean isAtomic() {
        return meta.level() != ConsistencyLevel.EVENTUAL;
    }

    private boolean isTime() {
        return meta.partitioner() instanceof Partitioner.Time;
    }

    private void deletePartial(UniserveException error) {
        BackupInfo made = new BackupInfo(
                startMarker.id(),
                startMarker.name().value(),
                startMarker.cluster(),
                meta.name().value(),
                meta.tableId(),
                startMarker.actors().count(),
                BackupInfo.State.INCOMPLETE,
                0,
                0,
                "");
        new DeleteBackupProcedure(job, made).run(removed -> {
            if (removed instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "backup {}: failed, and its remains could not be deleted, delete it: {}",
                        job.name(),
                        err.error().getMessage());
            }
            fail(error);
        });
    }

    private void fail(UniserveException error) {
        completion.done(Outcome.err(error));
    }
}
