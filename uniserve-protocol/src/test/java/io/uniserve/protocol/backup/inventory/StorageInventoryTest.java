package io.uniserve.protocol.backup.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.batch.BatchKeys;
import io.uniserve.protocol.backup.format.ActorSnapshot;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.CheckpointManifest;
import io.uniserve.protocol.backup.format.SnapshotPin;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.backup.inventory.OrphanedObject.Reason;
import io.uniserve.protocol.backup.inventory.StorageInventory.Orphans;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StorageInventoryTest {
    private static final String CLUSTER = "main";
    private static final ReplicaKey ACTOR = new ReplicaKey(7, 3);
    private static final String CHECKPOINTS = BackupPaths.checkpointPrefix(CLUSTER, ACTOR);
    private static final String BACKUP = "00000000000000aa";

    private final TreeMap<String, Bytes> store = new TreeMap<>();

    private String put(String key, Bytes data) {
        store.put(key, data);
        return key;
    }

    private String put(String key) {
        return put(key, Bytes.utf8(key));
    }

    private void define(long table) {
        put(StoredTableDefinition.key(CLUSTER, table, 1, 1, "a".repeat(64)));
    }

    private String run(long first, long last) {
        return put(BackupPaths.log(CLUSTER, ACTOR, first, last, 1));
    }

    private String chunk(String generation, String text) {
        return put(BackupPaths.chunk(CHECKPOINTS, generation, Sha256.hex(Bytes.utf8(text))), Bytes.utf8(text));
    }

    /** A checkpoint of one file of one chunk. */
    private String checkpoint(String generation, long index, String text) {
        chunk(generation, text);
        Bytes manifest = new CheckpointManifest(
                        ACTOR,
                        index,
                        1,
                        List.of(new CheckpointManifest.FileEntry(
                                "rows",
                                text.length(),
                                List.of(new CheckpointManifest.Chunk(
                                        generation, Sha256.hex(Bytes.utf8(text)), text.length())))))
                .encode();
        return put(BackupPaths.manifest(CHECKPOINTS, generation, Sha256.hex(manifest)), manifest);
    }

    private String pin(String checkpoint, long checkpointIndex, long first, long last) {
        Bytes part = new ActorSnapshot(
                        CLUSTER,
                        ACTOR,
                        last,
                        1,
                        checkpoint,
                        checkpointIndex,
                        1,
                        List.of(new ActorSnapshot.Piece(first, last, 1, last)))
                .encode();
        return put(new SnapshotPin(CLUSTER, ACTOR, BACKUP, Sha256.hex(part)).path(), part);
    }

    private Bytes get(String key) {
        Bytes data = store.get(key);
        if (data == null) {
            throw new UniserveException(ErrorCode.IO, "object " + key + " is absent");
        }
        return data;
    }

    private StorageInventory inventory() {
        return StorageInventory.of(List.copyOf(store.keySet()));
    }

    private Orphans orphans() {
        return inventory().orphans(this::get, done -> {});
    }

    @Test
    void runsThatShareAnObjectCountForTheirTables() {
        define(7);
        String shared = put(BatchKeys.of(CLUSTER, new ReplicaKey(7, 3), new ReplicaKey(7, 4), new ReplicaKey(8, 0)));
        String ofDropped = put(BatchKeys.of(CLUSTER, new ReplicaKey(8, 0), new ReplicaKey(8, 1)));
        String damaged = put(shared + "x");
        StorageInventory inventory = StorageInventory.of(List.copyOf(store.keySet()));
        assertThat(inventory.tables())
                .containsExactly(
                        new StorageInventory.Table(CLUSTER, 7, true, 2, 2, 0, 0),
                        new StorageInventory.Table(CLUSTER, 8, false, 2, 3, 0, 0));
        assertThat(inventory.orphans(this::get, done -> {}).objects())
                .containsExactlyInAnyOrder(
                        new OrphanedObject(ofDropped, Reason.NO_DEFINITION),
                        new OrphanedObject(damaged, Reason.UNKNOWN_NAME));
    }

    @Test
    void aHealthyStoreHasNoOrphans() {
        define(7);
        put("owner/main");
        checkpoint(BackupPaths.generation(1, 5), 10, "ten");
        run(8, 12);
        run(13, 20);
        List<Integer> progress = new ArrayList<>();
        Orphans found = inventory().orphans(this::get, progress::add);
        assertThat(found.objects()).isEmpty();
        assertThat(found.undecided()).isEmpty();
        assertThat(progress).containsExactly(1);
        assertThat(inventory().tables()).containsExactly(new StorageInventory.Table(CLUSTER, 7, true, 1, 2, 2, 0));
    }

    @Test
    void whatNoCheckpointNamesAndWhatAllCoverIsOrphaned() {
        define(7);
        checkpoint(BackupPaths.generation(1, 5), 10, "ten");
        String lost = chunk(BackupPaths.generation(2, 6), "lost");
        String covered = run(1, 10);
        run(5, 11);
        assertThat(orphans().objects())
                .containsExactlyInAnyOrder(
                        new OrphanedObject(lost, Reason.NO_MANIFEST), new OrphanedObject(covered, Reason.COVERED_LOG));
    }

    @Test
    void aPinProtectsItsObjectsAfterADrop() {
        String old = checkpoint(BackupPaths.generation(1, 5), 10, "ten");
        String pinned = run(11, 15);
        String pin = pin(old, 10, 11, 15);
        put("archive/" + "b".repeat(64) + "/" + BACKUP + "/complete-" + "c".repeat(64));
        String rest = run(16, 20);
        assertThat(inventory().namedBackups()).isEqualTo(1);
        assertThat(orphans().objects()).containsExactly(new OrphanedObject(rest, Reason.NO_DEFINITION));

        store.keySet().removeIf(key -> key.startsWith("archive/"));
        assertThat(orphans().objects())
                .containsExactlyInAnyOrder(
                        new OrphanedObject(rest, Reason.NO_DEFINITION), new OrphanedObject(pin, Reason.NO_BACKUP))
                .noneMatch(orphan -> orphan.key().equals(pinned) || orphan.key().equals(old));
    }

    @Test
    void manifestsAndDefinitionsThatAreStoredAfterTheirDeletionAreOrphaned() {
        define(7);
        String run = run(1, 10);
        String manifest = put("archive/" + "b".repeat(64) + "/" + BACKUP + "/complete-" + "c".repeat(64));
        assertThat(orphans().objects()).isEmpty();
        put("archive/" + "b".repeat(64) + "/" + BACKUP + "/deleted");
        put(StoredTableDefinition.dropped(CLUSTER, 7));
        assertThat(orphans().objects())
                .containsExactly(
                        new OrphanedObject(manifest, Reason.DELETED_BACKUP),
                        new OrphanedObject(run, Reason.NO_DEFINITION));
        assertThat(inventory().namedBackups()).isZero();
    }

    @Test
    void withADamagedManifestNothingOfTheActorIsOrphaned() {
        define(7);
        String manifest = checkpoint(BackupPaths.generation(1, 5), 10, "ten");
        chunk(BackupPaths.generation(2, 6), "lost");
        store.put(manifest, Bytes.utf8("damaged"));
        Orphans found = orphans();
        assertThat(found.objects()).isEmpty();
        assertThat(found.undecided()).singleElement().asString().contains("backup/main/7/3/", "SHA-256");
    }

    @Test
    void strangeNamesAndProbesAreOrphaned() {
        String probe = put("probe/1f");
        String strange = put("backup/main/7/3/log/notes.txt");
        String other = put("holiday.jpg");
        String large = put("backup/main/7/99999999999/log/x");
        define(7);
        assertThat(orphans().objects())
                .containsExactlyInAnyOrder(
                        new OrphanedObject(probe, Reason.PROBE),
                        new OrphanedObject(strange, Reason.UNKNOWN_NAME),
                        new OrphanedObject(large, Reason.UNKNOWN_NAME),
                        new OrphanedObject(other, Reason.UNKNOWN_NAME));
    }

    @Test
    void clustersAreToldApart() {
        define(7);
        run(1, 5);
        put(BackupPaths.log("other", ACTOR, 1, 5, 1));
        assertThat(inventory().tables())
                .extracting(StorageInventory.Table::cluster, StorageInventory.Table::isDefined)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("main", true),
                        org.assertj.core.groups.Tuple.tuple("other", false));
        assertThat(orphans().objects())
                .containsExactly(new OrphanedObject(BackupPaths.log("other", ACTOR, 1, 5, 1), Reason.NO_DEFINITION));
    }
}
