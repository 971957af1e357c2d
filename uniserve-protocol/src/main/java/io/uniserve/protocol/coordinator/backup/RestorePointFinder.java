package io.uniserve.protocol.coordinator.backup;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.ShippedVersions;
import io.uniserve.protocol.coordinator.backup.RestorePointFinder.RestorePoint;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
 * <li>The cluster knows the table.
 * <li>The actor is lost for good. Otherwise it will still ship its entries.
 * <li>No backup record shows that it shipped anything. The record is written with the first shipped run.
 * <li>No other actor has a checkpoint with a version in it. Such a checkpoint is stored only when all actors have shipped their entries up
 * to it.
 * </ul>
 *
 * <p>Otherwise the actor's objects may have been deleted, which is an error.
 */
final class RestorePointFinder {
    private static final Logger LOG = LoggerFactory.getLogger(RestorePointFinder.class);

    private final BackupOperation job;
    private final TableMeta meta;
    private final ShippedVersions[] shippedVersions;
    private final TreeSet<Integer> empty = new TreeSet<>();
    private final @Nullable IntPredicate isLost;
    private final Completion<RestorePoint> completion;

    /**
     * Result of the search.
     *
     * @param version the newest complete version
     * @param newest the newest version that any actor has, committed or not
     * @param empty actors without data in storage, as they had shipped nothing
     */
    record RestorePoint(long version, long newest, Set<Integer> empty) {}

    /** @param lost whether an actor is lost for good; null for a table that only storage has */
    RestorePointFinder(
            BackupOperation job, TableMeta meta, @Nullable IntPredicate lost, Completion<RestorePoint> completion) {
        this.isLost = lost;
        this.job = job;
        this.meta = meta;
        this.shippedVersions = new ShippedVersions[meta.partitioner().actors()];
        this.completion = completion;
    }

    void start() {
        job.forEachActor(shippedVersions.length, this::requestVersions, this::onVersions);
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
                shippedVersions[actor] = ShippedVersions.decode(told.get(0));
            } catch (UniserveException e) {
                then.done(Outcome.err(e));
                return;
            }
            then.done(Outcome.ok(Done.DONE));
        });
    }

    private void onVersions(Outcome<Done> outcome) {
        if (outcome instanceof Outcome.Err<Done> err) {
            completion.done(Outcome.err(err.error()));
            return;
        }
        for (int actor = 0; actor < shippedVersions.length; actor++) {
            if (shippedVersions[actor].index() == 0) {
                empty.add(actor);
            }
        }
        if (empty.isEmpty()) {
            complete();
            return;
        }
        Optional<UniserveException> doubt = possiblyShippedReason();
        if (doubt.isPresent()) {
            completion.done(Outcome.err(doubt.get()));
            return;
        }
        List<Integer> actors = List.copyOf(empty);
        job.leader()
                .registry()
                .afterSync(() -> job.forEachActor(
                        actors.size(), (at, then) -> checkBackupRecord(actors.get(at), then), this::onBackupRecords));
    }

    /** Reason why the actors may have shipped data after all; their backup records are checked later. */
    private Optional<UniserveException> possiblyShippedReason() {
        IntPredicate gone = isLost;
        if (gone == null) {
            return Optional.of(missingDataError(empty.first(), "the cluster does not have the table"));
        }
        for (int actor : empty) {
            if (!gone.test(actor)) {
                return Optional.of(new UniserveException(
                        ErrorCode.UNAVAILABLE,
                        key(actor) + " has not shipped anything to durable storage yet, and is not lost: retry later"));
            }
        }
        for (int actor = 0; actor < shippedVersions.length; actor++) {
            if (shippedVersions[actor].covered() > 0) {
                return Optional.of(missingDataError(
                        empty.first(),
                        "the checkpoint of actor " + actor + " has version " + shippedVersions[actor].covered()
                                + ", which is stored only after all actors have shipped their entries of it"));
            }
        }
        return Optional.empty();
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
        for (ShippedVersions trail : shippedVersions) {
            newest = Math.max(newest, trail.newest());
        }
        RestorePoint found = new RestorePoint(ShippedVersions.newestOfAll(List.of(shippedVersions)), newest, empty);
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
