package io.uniserve.protocol.backup.archive;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.protocol.backup.format.ArchivePaths;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Listing of named backups in durable storage, including damaged ones, with all data that can be read. */
final class BackupLister {
    private final ObjectStore objects;
    private final Completion<List<BackupManifests>> completion;
    private final TreeMap<String, BackupManifests> found = new TreeMap<>();
    private ArrayDeque<ArchivePaths.Stored> left = new ArrayDeque<>();

    /** Manifests of one backup. */
    static final class BackupManifests {
        final String id;

        @Nullable
        TableSnapshot startMarker;

        @Nullable
        TableSnapshot complete;

        boolean completed;
        String damage = "";

        BackupManifests(String id) {
            this.id = id;
        }
    }

    private BackupLister(ObjectStore objects, Completion<List<BackupManifests>> completion) {
        this.objects = objects;
        this.completion = completion;
    }

    /** Lists all backups, or those of a name. */
    static void find(ObjectStore objects, String name, Completion<PeerReply> completion) {
        String prefix = name.isEmpty() ? ArchivePaths.ROOT : ArchivePaths.prefix(new BackupName(name));
        new BackupLister(objects, listed -> {
                    if (listed instanceof Outcome.Ok<List<BackupManifests>> ok) {
                        completion.done(Outcome.ok(new PeerReply.Archives(ok.value().stream()
                                .map(BackupLister::info)
                                .sorted(Comparator.comparing(BackupInfo::name).thenComparing(BackupInfo::id))
                                .toList())));
                    } else {
                        completion.done(Outcome.err(listed.error()));
                    }
                })
                .list(prefix);
    }

    /** Reads the manifest of the complete backup of this name. Fails with BACKUP_NOT_FOUND, or with CORRUPT if it is damaged. */
    static void read(ObjectStore objects, BackupName name, Completion<PeerReply> completion) {
        new BackupLister(objects, listed -> {
                    if (!(listed instanceof Outcome.Ok<List<BackupManifests>> ok)) {
                        completion.done(Outcome.err(listed.error()));
                        return;
                    }
                    for (BackupManifests one : ok.value()) {
                        if (one.complete != null) {
                            completion.done(Outcome.ok(new PeerReply.Manifests(List.of(one.complete.encode()))));
                            return;
                        }
                    }
                    completion.done(Outcome.err(notFoundError(name, ok.value())));
                })
                .list(ArchivePaths.prefix(name));
    }

    /** Reads the readable manifests of the backup of this name and id. Fails with CORRUPT if it has some, and none can be read. */
    static void readAll(ObjectStore objects, BackupName name, String id, Completion<PeerReply> completion) {
        new BackupLister(objects, listed -> {
                    if (listed instanceof Outcome.Ok<List<BackupManifests>> ok) {
                        completion.done(readable(
                                ok.value().stream()
                                        .filter(one -> one.id.equals(id))
                                        .findFirst(),
                                name));
                    } else {
                        completion.done(Outcome.err(listed.error()));
                    }
                })
                .list(ArchivePaths.prefix(name));
    }

    private static Outcome<PeerReply> readable(Optional<BackupManifests> found, BackupName name) {
        if (found.isEmpty()) {
            return Outcome.ok(new PeerReply.Manifests(List.of()));
        }
        BackupManifests one = found.get();
        List<Bytes> manifests = Stream.of(Optional.ofNullable(one.startMarker), Optional.ofNullable(one.complete))
                .flatMap(Optional::stream)
                .map(TableSnapshot::encode)
                .toList();
        return manifests.isEmpty()
                ? Outcome.err(new UniserveException(
                        ErrorCode.CORRUPT, "no manifest of backup " + name + " can be read: " + one.damage))
                : Outcome.ok(new PeerReply.Manifests(manifests));
    }

    private static UniserveException notFoundError(BackupName name, List<BackupManifests> some) {
        if (some.isEmpty()) {
            return new UniserveException(
                    ErrorCode.BACKUP_NOT_FOUND, "backup " + name + " does not exist: list the backups there are");
        }
        BackupManifests first = some.get(0);
        return first.completed
                ? new UniserveException(ErrorCode.CORRUPT, "backup " + name + " cannot be used: " + first.damage)
                : new UniserveException(
                        ErrorCode.BACKUP_NOT_FOUND,
                        "backup " + name + " is not complete: it is being taken, or has failed: take it again");
    }

    private static BackupInfo info(BackupManifests found) {
        TableSnapshot known = found.complete != null ? found.complete : found.startMarker;
        BackupInfo.State state = found.complete != null
                ? BackupInfo.State.COMPLETE
                : found.completed ? BackupInfo.State.DAMAGED : BackupInfo.State.INCOMPLETE;
        if (known == null) {
            return new BackupInfo(found.id, "", "", "", 0, 0, BackupInfo.State.DAMAGED, 0, 0, found.damage);
        }
        List<TableSnapshot.Part> parts = known.parts().orElse(List.of());
        return new BackupInfo(
                found.id,
                known.name().value(),
                known.cluster(),
                known.meta().name().value(),
                known.meta().tableId(),
                known.actors().count(),
                state,
                parts.stream().mapToLong(TableSnapshot.Part::bytes).sum(),
                parts.stream().mapToLong(TableSnapshot.Part::index).sum(),
                found.damage);
    }

    private void list(String prefix) {
        objects.list(prefix, completion.then(listed -> {
            left = new ArrayDeque<>(ArchivePaths.stored(listed));
            if (left.size() > 2 * Limits.BACKUPS_TOLD_MAX) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.TOO_LARGE, "durable storage has " + left.size() + " manifests: delete backups")));
            } else {
                next();
            }
        }));
    }

    private void next() {
        ArchivePaths.Stored stored = left.poll();
        if (stored == null) {
            completion.done(Outcome.ok(new ArrayList<>(found.values())));
            return;
        }
        BackupManifests one =
                found.computeIfAbsent(stored.nameHash() + stored.id(), id -> new BackupManifests(stored.id()));
        one.completed |= stored.complete();
        objects.get(stored.key(), got -> {
            try {
                if (got instanceof Outcome.Err<Bytes> err) {
                    throw err.error();
                }
                addManifest(one, stored, got.value());
            } catch (UniserveException e) {
                one.damage = e.reason();
            }
            next();
        });
    }

    private static void addManifest(BackupManifests one, ArchivePaths.Stored stored, Bytes data) {
        if (!Sha256.hex(data).equals(stored.sha256())) {
            throw new UniserveException(ErrorCode.CORRUPT, stored.key() + " does not match the hash in its name");
        }
        TableSnapshot backup = TableSnapshot.decode(data);
        if (!ArchivePaths.key(backup, data).equals(stored.key())) {
            throw new UniserveException(ErrorCode.CORRUPT, stored.key() + " belongs to another backup");
        }
        if (backup.isComplete()) {
            one.complete = backup;
        } else if (one.startMarker == null
                || one.startMarker.actors().count() <= backup.actors().count()) {
            one.startMarker = backup; // the last of several markers names the actors of all
        }
    }
}
