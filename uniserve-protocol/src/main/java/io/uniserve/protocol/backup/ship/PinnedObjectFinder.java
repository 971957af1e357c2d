package io.uniserve.protocol.backup.ship;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.format.ActorSnapshot;
import io.uniserve.protocol.backup.format.ArchivePaths;
import io.uniserve.protocol.backup.format.SnapshotPin;
import io.uniserve.protocol.backup.restore.CheckpointDownload;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Objects of an actor that named backups need, including the pins. If a pin or its manifest cannot be read, the result is an error, and no
 * object may be deleted. Pins of deleted backups do not count: their puts took effect after the deletion.
 */
final class PinnedObjectFinder {
    private final Environment env;
    private final Completion<TreeSet<String>> completion;
    private final TreeSet<String> keys = new TreeSet<>();
    private final ArrayDeque<SnapshotPin> pins;

    private PinnedObjectFinder(Environment env, List<SnapshotPin> pins, Completion<TreeSet<String>> completion) {
        this.env = env;
        this.pins = new ArrayDeque<>(pins);
        this.completion = completion;
    }

    /**
     * Finds the pinned objects.
     *
     * @param listed all objects of the actor
     */
    static void find(
            Environment env,
            String cluster,
            ReplicaKey key,
            List<String> listed,
            Completion<TreeSet<String>> completion) {
        List<SnapshotPin> pins = SnapshotPin.among(listed, cluster, key);
        if (pins.isEmpty()) {
            completion.done(Outcome.ok(new TreeSet<>()));
            return;
        }
        env.objects().list(ArchivePaths.ROOT, completion.then(archive -> {
            Set<String> deleted = ArchivePaths.deletedIds(archive);
            List<SnapshotPin> counting =
                    pins.stream().filter(pin -> !deleted.contains(pin.backup())).toList();
            new PinnedObjectFinder(env, counting, completion).next();
        }));
    }

    private void next() {
        SnapshotPin pin = pins.poll();
        if (pin == null) {
            completion.done(Outcome.ok(keys));
            return;
        }
        pin.fetch(env.objects(), completion.then(found -> {
            keys.add(pin.path());
            keys.addAll(found.keys());
            chunks(found);
        }));
    }

    private void chunks(ActorSnapshot part) {
        if (part.checkpoint().isEmpty()) {
            next();
            return;
        }
        String prefix = part.checkpointPrefix();
        CheckpointDownload.manifest(env, prefix, part.key(), part.checkpoint(), completion.then(found -> {
            keys.addAll(found.keys(prefix));
            next();
        }));
    }
}
