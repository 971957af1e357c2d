package io.uniserve.protocol.coordinator.backup;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.StoredActors;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Finder of the actors that a backup names. A table with a fixed set of actors has all of them. A TIME table has those of its map, which is
 * confirmed in the registry: a chunk that has an acknowledged row before the backup starts is in it. If the map is lost, the chunks are
 * those of which durable storage has data, without those that are expired by this leader's clock: their data may be deleted in part.
 */
final class BackupActorFinder {
    private static final int ATTEMPTS_MAX = 60;

    private final BackupOperation job;
    private final TableMeta meta;
    private final Completion<Found> completion;
    private int attempts;

    /**
     * Result of the search.
     *
     * @param actors the actors of the backup
     * @param empty those of which storage has no data, in a chunk of which it has some: they were lost before they shipped anything
     */
    record Found(TableSnapshot.Actors actors, TreeSet<Integer> empty) {
        Found(TableSnapshot.Actors actors) {
            this(actors, new TreeSet<>());
        }
    }

    BackupActorFinder(BackupOperation job, TableMeta meta, Completion<Found> completion) {
        this.job = job;
        this.meta = meta;
        this.completion = completion;
    }

    /** @param salvage true if only durable storage has the table */
    void find(boolean salvage) {
        if (!(meta.partitioner() instanceof Partitioner.Time time)) {
            completion.done(Outcome.ok(new Found(TableSnapshot.Actors.fixed(meta))));
        } else if (salvage) {
            findStored(time);
        } else {
            confirmMap();
        }
    }

    private void confirmMap() {
        Table table = job.leader().catalog().find(meta.name());
        if (table == null || table.meta.tableId() != meta.tableId()) {
            fail(ErrorCode.TABLE_NOT_FOUND, "table " + meta.name() + " was dropped during its backup");
        } else if (attempts++ == ATTEMPTS_MAX || !job.reply().isOpen()) {
            fail(ErrorCode.UNAVAILABLE, "the registry did not confirm the map of table " + meta.name() + ": retry");
        } else if (table.writePending || table.stale) {
            retryLater();
        } else {
            TableMap map = table.map();
            Op check = new Op.Check(RegistryPaths.map(meta.name()), table.mapVersion());
            job.leader().registry().write(List.of(check), checked -> {
                if (checked.isApplied()) {
                    completion.done(Outcome.ok(new Found(TableSnapshot.Actors.of(meta, map))));
                } else {
                    retryLater();
                }
            });
        }
    }

    private void retryLater() {
        job.leader().registry().after(job.leader().config().tickNanos(), this::confirmMap);
    }

    private void findStored(Partitioner.Time time) {
        job.call(new ArchiveRequest.FindActors(meta.tableId()), PeerReply.Manifests.class, outcome -> {
            Found found;
            try {
                if (outcome instanceof Outcome.Err<PeerReply.Manifests> err) {
                    throw err.error();
                }
                List<Bytes> objects = outcome.value().objects();
                if (objects.size() != 1) {
                    throw new UniserveException(
                            ErrorCode.INTERNAL, "a server sent " + objects.size() + " lists of actors, not 1");
                }
                found = wholeChunks(time, StoredActors.decode(objects.get(0)).numbers());
            } catch (UniserveException e) {
                completion.done(Outcome.err(e));
                return;
            }
            completion.done(Outcome.ok(found));
        });
    }

    /** The live chunks that have one of the stored actors, with all their actors. */
    private Found wholeChunks(Partitioner.Time time, List<Integer> stored) {
        long now = job.leader().env().clock().wallMillis();
        TreeSet<Integer> ordinals = new TreeSet<>();
        stored.stream()
                .map(time::ordinalOf)
                .filter(ordinal -> ordinal < time.chunks().chunks())
                .forEach(ordinals::add);
        int expiredBefore =
                time.expiredBefore(ordinals.stream().map(time::firstActor).toList(), 0, now);
        List<Integer> numbers = new ArrayList<>();
        for (int ordinal : ordinals.tailSet(expiredBefore, true)) {
            for (int bucket = 0; bucket < time.buckets(); bucket++) {
                numbers.add(time.firstActor(ordinal) + bucket);
            }
        }
        TreeSet<Integer> empty = new TreeSet<>(numbers);
        stored.forEach(empty::remove);
        return new Found(new TableSnapshot.Actors(numbers, expiredBefore), empty);
    }

    private void fail(ErrorCode code, String why) {
        completion.done(Outcome.err(new UniserveException(code, why)));
    }
}
