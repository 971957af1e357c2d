package io.uniserve.protocol.backup.inventory;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.batch.BatchedRun;
import io.uniserve.protocol.backup.format.ArchivePaths;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.backup.inventory.OrphanedObject.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Contents of durable storage, by cluster, table and actor, from a listing of all its keys. It finds orphaned objects from storage alone, and
 * deletes nothing. Objects of uploads and drops that are under way look orphaned too, so only what two listings with some hours between
 * them agree on is surely orphaned. Not thread-safe.
 *
 * <pre>{@code
 * StorageInventory inventory = StorageInventory.of(store.list(""));
 * StorageInventory.Orphans found = inventory.orphans(reader, done -> {});
 * }</pre>
 */
public final class StorageInventory {
    private static final Pattern DEFINITION = Pattern.compile("definition/([a-z0-9.-]+)/(\\d{1,18})/.+");
    private static final Pattern OWNER = Pattern.compile("owner/[a-z0-9.-]+");
    private static final String PROBE = "probe/";

    private final int objects;
    private final List<OrphanedObject> strangers = new ArrayList<>();
    private final Map<ActorOf, List<String>> actors = new TreeMap<>();
    /** Actors of each object that has runs of several logs. */
    private final Map<String, List<ActorOf>> batches = new TreeMap<>();

    private final Map<String, Map<Long, String>> definitions = new TreeMap<>();
    private final TreeSet<String> backups;

    private StorageInventory(List<String> keys) {
        objects = keys.size();
        List<ArchivePaths.Stored> manifests = ArchivePaths.stored(keys);
        backups = manifests.stream().map(ArchivePaths.Stored::id).collect(Collectors.toCollection(TreeSet::new));
        ArchivePaths.all(keys).stream()
                .filter(manifest -> !backups.contains(manifest.id()))
                .forEach(manifest -> strangers.add(new OrphanedObject(manifest.key(), Reason.DELETED_BACKUP)));
        TreeSet<String> archive = ArchivePaths.all(keys).stream()
                .map(ArchivePaths.Stored::key)
                .collect(Collectors.toCollection(TreeSet::new));
        Map<String, List<String>> ofCluster = new TreeMap<>();
        for (String key : keys) {
            if (addBatch(key)) {
                continue;
            }
            Optional<BackupPaths.OfActor> actor = BackupPaths.actorOf(key);
            Matcher definition = DEFINITION.matcher(key);
            if (actor.isPresent()) {
                ActorOf of = new ActorOf(actor.get().cluster(), actor.get().key());
                actors.computeIfAbsent(of, unused -> new ArrayList<>()).add(key);
            } else if (definition.matches()) {
                ofCluster
                        .computeIfAbsent(definition.group(1), unused -> new ArrayList<>())
                        .add(key);
            } else if (key.startsWith(PROBE)) {
                strangers.add(new OrphanedObject(key, Reason.PROBE));
            } else if (!archive.contains(key) && !OWNER.matcher(key).matches() && !ArchivePaths.isDeletedMark(key)) {
                strangers.add(new OrphanedObject(key, Reason.UNKNOWN_NAME));
            }
        }
        ofCluster.forEach((cluster, all) -> definitions.put(cluster, StoredTableDefinition.newest(all, cluster)));
    }

    /** Returns false if the key names no object with runs of several logs. */
    private boolean addBatch(String key) {
        List<ActorOf> ofBatch = BatchedRun.of(key).stream()
                .map(run -> new ActorOf(run.cluster(), run.actor()))
                .toList();
        if (ofBatch.isEmpty()) {
            return false;
        }
        batches.put(key, ofBatch);
        ofBatch.forEach(actor -> actors.computeIfAbsent(actor, unused -> new ArrayList<>()));
        return true;
    }

    /** An actor of a cluster. */
    record ActorOf(String cluster, ReplicaKey key) implements Comparable<ActorOf> {
        @Override
        public int compareTo(ActorOf other) {
            int order = cluster.compareTo(other.cluster);
            return order != 0 ? order : key.compareTo(other.key);
        }
    }

    /**
     * Objects of a table.
     *
     * @param id number of the table in its cluster
     * @param actors actors with an object
     * @param isDefined true if storage has its definition, without which it cannot be restored after a loss of ZooKeeper
     */
    public record Table(
            String cluster, long id, boolean isDefined, int actors, long logs, long checkpointObjects, long pins) {}

    /**
     * Orphaned objects.
     *
     * @param objects sorted by key
     * @param undecided actors of which an object could not be read, with the error: none of their objects is called orphaned
     */
    public record Orphans(List<OrphanedObject> objects, List<String> undecided) {
        public Orphans {
            objects = List.copyOf(objects);
            undecided = List.copyOf(undecided);
        }
    }

    /** The inventory of a complete listing. */
    public static StorageInventory of(List<String> keys) {
        return new StorageInventory(keys);
    }

    /** Number of objects. */
    public int objects() {
        return objects;
    }

    /** Number of named backups, complete or not. */
    public int namedBackups() {
        return backups.size();
    }

    /** Number of actors with objects. */
    public int actors() {
        return actors.size();
    }

    /** Tables that have objects of actors, by cluster and number. */
    public List<Table> tables() {
        Map<String, Map<Long, List<List<String>>>> byTable = new TreeMap<>();
        actors.forEach((actor, keys) -> byTable.computeIfAbsent(actor.cluster(), unused -> new TreeMap<>())
                .computeIfAbsent(actor.key().tableId(), unused -> new ArrayList<>())
                .add(keys));
        List<Table> tables = new ArrayList<>();
        byTable.forEach((cluster, ofCluster) -> ofCluster.forEach((id, ofTable) -> tables.add(new Table(
                cluster,
                id,
                isDefined(cluster, id),
                ofTable.size(),
                count(ofTable, "/log/") + batchedRuns(cluster, id),
                count(ofTable, "/checkpoint/"),
                count(ofTable, "/pin/")))));
        return tables;
    }

    private static long count(List<List<String>> ofTable, String kind) {
        return ofTable.stream()
                .flatMap(Collection::stream)
                .filter(key -> key.contains(kind))
                .count();
    }

    private long batchedRuns(String cluster, long tableId) {
        return batches.values().stream()
                .flatMap(Collection::stream)
                .filter(actor -> actor.cluster().equals(cluster) && actor.key().tableId() == tableId)
                .count();
    }

    private boolean isDefined(String cluster, long tableId) {
        return definitions.getOrDefault(cluster, Map.of()).containsKey(tableId);
    }

    /**
     * Finds orphaned objects. Reads each manifest of a checkpoint and each pin.
     *
     * @param progress called with the number of actors that are done
     */
    public Orphans orphans(ObjectReader reader, IntConsumer progress) {
        List<OrphanedObject> found = new ArrayList<>(strangers);
        List<String> undecided = new ArrayList<>();
        int done = 0;
        for (Map.Entry<ActorOf, List<String>> entry : actors.entrySet()) {
            ActorOf actor = entry.getKey();
            try {
                found.addAll(new ActorObjects(actor.cluster(), actor.key(), entry.getValue())
                        .orphans(reader, isDefined(actor.cluster(), actor.key().tableId()), backups));
            } catch (UniserveException e) {
                undecided.add(BackupPaths.root(actor.cluster(), actor.key()) + ": " + e.getMessage());
            }
            progress.accept(++done);
        }
        batches.forEach((key, ofBatch) -> {
            if (ofBatch.stream()
                    .noneMatch(actor -> isDefined(actor.cluster(), actor.key().tableId()))) {
                found.add(new OrphanedObject(key, Reason.NO_DEFINITION));
            }
        });
        found.sort((a, b) -> a.key().compareTo(b.key()));
        return new Orphans(found, undecided);
    }
}
