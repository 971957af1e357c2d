package io.uniserve.protocol.backup.inventory;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.format.ActorSnapshot;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.backup.format.SnapshotPin;
import io.uniserve.protocol.backup.inventory.OrphanedObject.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Objects of one actor in durable storage. */
final class ActorObjects {
    private final ReplicaKey key;
    private final List<String> keys;
    private final String checkpointPrefix;
    private final List<SnapshotPin> pins;
    private final List<BackupPaths.Run> runs;
    private final Map<String, BackupPaths.Stored> stored = new TreeMap<>();

    ActorObjects(String cluster, ReplicaKey key, List<String> keys) {
        this.key = key;
        this.keys = keys;
        this.checkpointPrefix = BackupPaths.checkpointPrefix(cluster, key);
        this.pins = SnapshotPin.among(keys, cluster, key);
        this.runs = BackupPaths.runs(keys, BackupPaths.logPrefix(cluster, key));
        for (String name : keys) {
            BackupPaths.Stored object = BackupPaths.stored(name, checkpointPrefix);
            if (object != null) {
                stored.put(name, object);
            }
        }
    }

    /**
     * Finds orphaned objects.
     *
     * @param backups ids of the named backups
     * @throws UniserveException if a manifest or a pin cannot be read: nothing is known of the others then
     */
    List<OrphanedObject> orphans(ObjectReader reader, boolean isDefined, Set<String> backups) {
        Map<String, CheckpointManifest> manifests = manifests(reader);
        TreeSet<String> needed = pinned(reader, manifests);
        long covered = manifests.values().stream()
                .mapToLong(CheckpointManifest::index)
                .min()
                .orElse(0);
        TreeSet<String> named = new TreeSet<>(manifests.keySet());
        manifests.values().forEach(manifest -> named.addAll(manifest.keys(checkpointPrefix)));

        List<OrphanedObject> orphans = new ArrayList<>();
        TreeSet<String> known = new TreeSet<>(stored.keySet());
        for (SnapshotPin pin : pins) {
            known.add(pin.path());
            if (!backups.contains(pin.backup())) {
                orphans.add(new OrphanedObject(pin.path(), Reason.NO_BACKUP));
            }
        }
        for (BackupPaths.Run run : runs) {
            known.add(run.key());
            if (!needed.contains(run.key()) && (!isDefined || run.last() <= covered)) {
                orphans.add(new OrphanedObject(run.key(), isDefined ? Reason.COVERED_LOG : Reason.NO_DEFINITION));
            }
        }
        for (String name : stored.keySet()) {
            if (!needed.contains(name) && (!isDefined || !named.contains(name))) {
                orphans.add(new OrphanedObject(name, isDefined ? Reason.NO_MANIFEST : Reason.NO_DEFINITION));
            }
        }
        keys.stream()
                .filter(name -> !known.contains(name))
                .forEach(name -> orphans.add(new OrphanedObject(name, Reason.UNKNOWN_NAME)));
        return orphans;
    }

    private Map<String, CheckpointManifest> manifests(ObjectReader reader) {
        Map<String, CheckpointManifest> manifests = new TreeMap<>();
        stored.forEach((name, object) -> {
            if (object.manifest()) {
                manifests.put(name, CheckpointManifest.decode(reader.get(name), object.sha256(), key));
            }
        });
        return manifests;
    }

    /** All objects that pins protect. */
    private TreeSet<String> pinned(ObjectReader reader, Map<String, CheckpointManifest> manifests) {
        TreeSet<String> needed = new TreeSet<>();
        for (SnapshotPin pin : pins) {
            ActorSnapshot part = pin.decode(reader.get(pin.path()));
            needed.addAll(part.keys());
            CheckpointManifest manifest = manifests.get(part.checkpoint());
            if (manifest != null) {
                needed.addAll(manifest.keys(checkpointPrefix));
            }
        }
        return needed;
    }
}
