package io.uniserve.protocol.coordinator.backup;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.ShippedVersions;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.coordinator.backup.RestorePointFinder.RestorePoint;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finder of the newest version of an atomic table that is complete in durable storage, for use when the primaries are not available.
 *
 * <p>Storage may have nothing of an actor. If it was lost before it shipped anything, it restarts empty. Versions in which it participated
 * are then lost, which the other actors' logs show. This conclusion needs all of:
 * <ul>
 * <li>The cluster knows the table, or storage has another actor of the same chunk of time.
 * <li>The actor is lost for good. Otherwise it will still ship its entries.
 * <li>No backup record shows that it shipped anything. The record is written with the first shipped run.
 * <li>No other actor has a checkpoint with a version from after the actor was made. Such a checkpoint is stored only when all actors have
 * shipped their entries up to it.
 * </ul>
 *
 * <p>Otherwise the actor's objects may have been deleted, which is an error.
 *
 * <p>In a TIME table, actors of expired chunks are left out, damaged or not, because their objects may be deleted in part. The stored logs
 * show which chunks were expired, even if the map is lost and this leader's clock is slow.
 */
final class RestorePointFinder {
    private static final Logger LOG = LoggerFactory.getLogger(RestorePointFinder.class);

    private final BackupOperation job;
    private final TableMeta meta;
    private final TableSnapshot.Actors actors;
    private final TreeMap<Integer, ShippedVersions> shippedVersions = new TreeMap<>();
    private final TreeMap<Integer, UniserveException> damaged = new TreeMap<>();
    private final TreeSet<Integer> empty = new TreeSet<>();
    private final @Nullable IntPredicate isLost;
    private final Completion<RestorePoint> completion;
    private int expiredBefore;

    /**
     * Result of the search.
     *
     * @param version the newest complete version
     * @param newest the newest version that any actor has, committed or not
     * @param empty actors without data in storage, as they had shipped nothing
     * @param expiredBefore ordinal of the first chunk of a TIME table that is not expired; 0 for other tables
     */
    record RestorePoint(long version, long newest, Set<Integer> empty, int expiredBefore) {}

    /**
     * @param actors the actors to restore. In a TIME table that only storage has, those of whole chunks
     * @param lost whether an actor is lost for good; null for a table that only storage has
     */
    RestorePointFinder(
            BackupOperation job,
            TableMeta meta,
            TableSnapshot.Actors actors,
            @Nullable IntPredicate lost,
            Completion<RestorePoint> completion) {
        this.isLost = lost;
        this.job = job;
        this.meta = meta;
        this.actors = actors;
        this.completion = completion;
    }

    void start() {
        job.forEachActor(actors.numbers(), this::requestVersions, this::onVersions);
    }

    private ReplicaKey key(int actor) {
        return new ReplicaKey(meta.tableId(), actor);
    }

    private void requestVersions(int actor, Completion<Done> then) {
        ReplicaKey key = key(actor);
        job.call(new ArchiveRequest.FindShippedVersions(key), PeerReply.Manifests.class, outcome -> {
            try {
                if (outcome instanceof Outcome.Err<PeerReply.Manifests> err) {
                    throw err.error();
                }
                List<Bytes> told = outcome.value().objects();
                if (told.size() != 1) {
                    throw new UniserveException(
                            ErrorCode.INTERNAL, "a server sent " + told.size() + " surveys of " + key);
                }
                shippedVersions.put(actor, ShippedVersions.decode(told.get(0)));
            } catch (UniserveException e) {
                if (!(meta.partitioner() instanceof Partitioner.Time) || e.code() != ErrorCode.CORRUPT) {
                    then.done(Outcome.err(e));
                    return;
                }
                damaged.put(actor, e);
            }
            then.done(Outcome.ok(Done.DONE));
        });
    }

    private void onVersions(Outcome<Done> outcome) {
        if (outcome instanceof Outcome.Err<Done> err) {
            completion.done(Outcome.err(err.error()));
            return;
        }
        leaveOutExpired();
        if (!damaged.isEmpty()) {
            completion.done(Outcome.err(damaged.firstEntry().getValue()));
            return;
        }
        shippedVersions.forEach((actor, trail) -> {
            if (trail.index() == 0) {
                empty.add(actor);
            }
        });
        if (empty.isEmpty()) {
            complete();
            return;
        }
        Optional<UniserveException> doubt = possiblyShippedReason();
        if (doubt.isPresent()) {
            completion.done(Outcome.err(doubt.get()));
            return;
        }
        if (isLost == null) {
            complete();
            return;
        }
        List<Integer> unshipped = List.copyOf(empty);
        job.leader()
                .registry()
                .afterSync(() -> job.forEachActor(unshipped, this::checkBackupRecord, this::onBackupRecords));
    }

    /** Leaves out the actors of chunks that are expired, by the map, by the caller's clock, or by a stored PREPARE. */
    private void leaveOutExpired() {
        if (!(meta.partitioner() instanceof Partitioner.Time time)) {
            return;
        }
        expiredBefore = actors.expiredBefore();
        for (ShippedVersions trail : shippedVersions.values()) {
            expiredBefore = Math.max(expiredBefore, trail.expiredBefore());
        }
        Table table = job.leader().catalog().find(meta.tableId());
        if (table != null) {
            expiredBefore = Math.max(expiredBefore, table.map().expiredBefore());
        }
        int firstLive = time.firstActor(expiredBefore);
        shippedVersions.headMap(firstLive, false).clear();
        damaged.headMap(firstLive, false).clear();
    }

    /** Reason why the actors may have shipped data after all; their backup records are checked later. */
    private Optional<UniserveException> possiblyShippedReason() {
        IntPredicate gone = isLost;
        if (gone == null && !(meta.partitioner() instanceof Partitioner.Time)) {
            return Optional.of(missingDataError(empty.first(), "the cluster does not have the table"));
        }
        for (int actor : empty) {
            if (gone != null && !gone.test(actor)) {
                return Optional.of(new UniserveException(
                        ErrorCode.UNAVAILABLE,
                        key(actor) + " has not shipped anything to durable storage yet, and is not lost: retry later"));
            }
        }
        Map.Entry<Integer, ShippedVersions> covering = shippedVersions.entrySet().stream()
                .max(Comparator.comparingLong(entry -> entry.getValue().covered()))
                .orElseThrow();
        long covered = covering.getValue().covered();
        for (int actor : empty) {
            if (covered > 0 && covered >= firstVersion(actor)) {
                return Optional.of(missingDataError(
                        actor,
                        "the checkpoint of actor " + covering.getKey() + " has version " + covered
                                + ", which is stored only after all actors have shipped their entries of it"));
            }
        }
        return Optional.empty();
    }

    /** A version that was not decided before the actor existed: 0 for an actor as old as its table. */
    private long firstVersion(int actor) {
        if (!(meta.partitioner() instanceof Partitioner.Time time)) {
            return 0;
        }
        Table table = job.leader().catalog().find(meta.tableId());
        ActorState row = table == null ? null : table.map().find(actor);
        return row != null ? row.firstVersion() : firstVersionOfChunk(time, actor);
    }

    /**
     * Without the map: the first stored version of the chunk's other actors, which were made together with this one. If one of them has a
     * checkpoint with a version, this actor had to ship before it was stored.
     */
    private long firstVersionOfChunk(Partitioner.Time time, int actor) {
        int first = time.firstActor(time.ordinalOf(actor));
        long least = Long.MAX_VALUE;
        for (ShippedVersions trail :
                shippedVersions.subMap(first, first + time.buckets()).values()) {
            if (trail.covered() > 0) {
                return 0;
            }
            least = trail.committed().isEmpty()
                    ? least
                    : Math.min(least, trail.committed().get(0).version());
        }
        return least;
    }

    /** Checks the backup record of an actor: it must not show shipped entries. */
    private void checkBackupRecord(int actor, Completion<Done> then) {
        job.leader().registry().read(RegistryPaths.backup(meta.name(), key(actor)), read -> {
            if (read instanceof Outcome.Err<Versioned> err) {
                then.done(Outcome.err(err.error()));
            } else if (read.value().value() instanceof BackupRecord record && record.shippedIndex() > 0) {
                then.done(Outcome.err(missingDataError(
                        actor, "by its backup record its log was shipped up to index " + record.shippedIndex())));
            } else {
                then.done(Outcome.ok(Done.DONE));
            }
        });
    }

    private void onBackupRecords(Outcome<Done> outcome) {
        if (outcome instanceof Outcome.Err<Done> err) {
            completion.done(Outcome.err(err.error()));
        } else {
            complete();
        }
    }

    private void complete() {
        long newest = 0;
        for (ShippedVersions trail : shippedVersions.values()) {
            newest = Math.max(newest, trail.newest());
        }
        long version = ShippedVersions.newestOfAll(meta.partitioner(), expiredBefore, shippedVersions);
        RestorePoint found = new RestorePoint(version, newest, empty, expiredBefore);
        if (!empty.isEmpty()) {
            LOG.warn(
                    "{}: durable storage has no data of actors {}, which shipped nothing: they start empty, the table"
                            + " at version {}; storage has versions up to {}: commits above {} and data of only those"
                            + " actors are lost",
                    meta.name(),
                    empty,
                    found.version(),
                    newest,
                    found.version());
        }
        completion.done(Outcome.ok(found));
    }

    private UniserveException missingDataError(int actor, String why) {
        return new UniserveException(
                ErrorCode.CORRUPT, "durable storage has nothing of " + key(actor) + ", but " + why);
    }
}
