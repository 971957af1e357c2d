package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.ArchivePaths;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Named backups of tables: taken under updates, kept, restored, verified, deleted. */
class TableBackupTest {
    private static final BackupName B = new BackupName("b");
    private static final TableName COPY = new TableName("copy");
    private static final long SECOND = Cluster.SECOND;

    private static Cluster filled(int rows) {
        Cluster cluster = new Cluster(2, 10);
        cluster.create(2, 2, 1, OnLoss.WAIT);
        for (int i = 0; i < rows; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        return cluster;
    }

    private static Outcome<AdminReply> ask(Cluster cluster, AdminRequest request) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(request, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 120);
        return outcome.get(0);
    }

    private static AdminReply done(Cluster cluster, AdminRequest request) {
        Outcome<AdminReply> outcome = ask(cluster, request);
        assertThat(outcome).as("%s", outcome).isInstanceOf(Outcome.Ok.class);
        return ((Outcome.Ok<AdminReply>) outcome).value();
    }

    private static UniserveException refused(Cluster cluster, AdminRequest request) {
        Outcome<AdminReply> outcome = ask(cluster, request);
        assertThat(outcome).isInstanceOf(Outcome.Err.class);
        return ((Outcome.Err<AdminReply>) outcome).error();
    }

    private static void take(Cluster cluster) {
        done(cluster, new AdminRequest.BackupTable(Cluster.T, B));
    }

    private static List<BackupInfo> list(Cluster cluster) {
        return ((AdminReply.Backups) done(cluster, new AdminRequest.ListBackups())).backups();
    }

    private static TableMap map(Cluster cluster, TableName name) {
        return (TableMap) Objects.requireNonNull(cluster.store.value(RegistryPaths.map(name)));
    }

    private static List<String> rows(Cluster cluster, TableName name, int actor) {
        TableMap map = map(cluster, name);
        ReplicaKey key = new ReplicaKey(map.tableId(), actor);
        Host primary = cluster.server(map.actors().get(actor).primary());
        cluster.await(() -> primary.serving(key), 20);
        return List.copyOf(primary.engine().rows(key));
    }

    private static List<String> names(int rows) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            names.add((i + 2) + "=r" + i); // after the entry that starts the epoch
        }
        return names;
    }

    @Test
    void aTableIsRestoredAsItWasWhenItWasBackedUp() {
        Cluster cluster = filled(27);
        take(cluster);
        for (int i = 27; i < 90; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.loop.run(20 * SECOND);
        done(cluster, new AdminRequest.VerifyBackup(B));
        done(cluster, new AdminRequest.RestoreTable(B, COPY));
        assertThat(rows(cluster, COPY, 0)).containsExactlyElementsOf(names(27));
        assertThat(rows(cluster, Cluster.T, 0)).hasSize(90);
        assertThat(list(cluster)).singleElement().satisfies(info -> {
            assertThat(info.state()).isEqualTo(BackupInfo.State.COMPLETE);
            assertThat(info.table()).isEqualTo("t");
            assertThat(info.actors()).isEqualTo(2);
            assertThat(info.entries()).isGreaterThanOrEqualTo(28);
        });
    }

    /**
     * A primary pauses before it pins the objects that it has listed. It resumes after they were deleted and another table has the name,
     * with a map of the same version.
     */
    @Test
    void aTableThatIsDroppedAndMadeAnewMeanwhileIsNotBackedUp() {
        Cluster cluster = new Cluster(2, 10);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        for (int i = 0; i < 27; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.loop.run(20 * SECOND);
        Host late = cluster.primary(0);
        ServerId standing = cluster.actor(0).primary();
        String objects = "backup/test/" + cluster.map().tableId() + "/";
        int version = cluster.store.read(RegistryPaths.map(Cluster.T)).version();
        cluster.objects.hold(objects + "0/pin/");
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.BackupTable(Cluster.T, B), outcome::add);
        cluster.await(() -> cluster.objects.holding() > 0, 20);
        late.registry().deaf(true);
        late.registry().hold(ops -> true);
        done(cluster, new AdminRequest.DropTable(Cluster.T));
        cluster.await(() -> cluster.objects.keys(objects).isEmpty(), 5);
        done(cluster, new AdminRequest.DrainServer(standing, true));
        cluster.create(1, 1, 1, OnLoss.WAIT);
        assertThat(cluster.store.read(RegistryPaths.map(Cluster.T)).version())
                .as("the late primary's check of the map finds nothing")
                .isEqualTo(version);
        late.registry().release();
        cluster.objects.release();
        cluster.await(() -> !outcome.isEmpty(), 60);
        assertThat(outcome.get(0)).isInstanceOf(Outcome.Err.class);
        assertThat(list(cluster)).isEmpty();
    }

    @Test
    void theRestoredTableIsFullyReplicatedAndBackedUpItself() {
        Cluster cluster = filled(27);
        take(cluster);
        done(cluster, new AdminRequest.RestoreTable(B, COPY));
        cluster.await(
                () -> map(cluster, COPY).actors().stream().allMatch(a -> a.isr().size() == 2), 60);
        done(cluster, new AdminRequest.DeleteBackup(B));
        done(cluster, new AdminRequest.DropTable(Cluster.T));
        cluster.loop.run(30 * SECOND);
        cluster.servers.values().forEach(Host::kill);
        cluster.server("s1").start();
        cluster.server("s2").start();
        assertThat(rows(cluster, COPY, 0)).containsExactlyElementsOf(names(27));
        assertThat(cluster.objects.keys("backup/test/1/")).isEmpty();
    }

    @Test
    void aBackupOutlivesItsTableAndLeavesNothingWhenItIsDeleted() {
        Cluster cluster = filled(27);
        take(cluster);
        done(cluster, new AdminRequest.DropTable(Cluster.T));
        cluster.loop.run(30 * SECOND);
        assertThat(cluster.objects.keys("backup/")).isNotEmpty();
        done(cluster, new AdminRequest.RestoreTable(B, Cluster.T));
        assertThat(rows(cluster, Cluster.T, 0)).containsExactlyElementsOf(names(27));
        done(cluster, new AdminRequest.DropTable(Cluster.T));
        cluster.loop.run(30 * SECOND);
        done(cluster, new AdminRequest.DeleteBackup(B));
        String id = "0000000000000003";
        assertThat(cluster.objects.keys(""))
                .containsExactly(
                        ArchivePaths.deleted(B, id),
                        StoredTableDefinition.dropped("test", 1),
                        StoredTableDefinition.dropped("test", 2),
                        "owner/test");
        assertThat(list(cluster)).isEmpty();
    }

    /** A put whose answer was lost may take effect after everything is deleted. */
    @Test
    void putsThatTakeEffectAfterTheDeletionBringNothingBack() {
        Cluster cluster = filled(27);
        take(cluster);
        cluster.loop.run(20 * SECOND);
        List<String> late = Stream.concat(
                        cluster.objects.keys("definition/").stream(), cluster.objects.keys("archive/").stream())
                .toList();
        assertThat(late).hasSizeGreaterThan(2);
        Cluster copy = new Cluster(2, 10);
        copy.objects.adopt(cluster.objects);
        done(cluster, new AdminRequest.DropTable(Cluster.T));
        done(cluster, new AdminRequest.DeleteBackup(B));
        cluster.loop.run(30 * SECOND);
        assertThat(cluster.objects.keys("backup/")).isEmpty();

        late.forEach(key -> cluster.objects.adopt(copy.objects, key));
        assertThat(list(cluster)).isEmpty();
        Cluster other = new Cluster(2, 10);
        other.objects.adopt(cluster.objects);
        assertThat(((AdminReply.Definitions) done(other, new AdminRequest.LostTables())).tables())
                .isEmpty();
        other.create(1, 1, 1, OnLoss.WAIT);
        assertThat(other.map().tableId()).as("no number of a dropped table").isEqualTo(2);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        take(cluster);
        assertThat(list(cluster))
                .as("the name may be used again")
                .singleElement()
                .extracting(BackupInfo::state)
                .isEqualTo(BackupInfo.State.COMPLETE);
    }

    @Test
    void aPinThatTakesEffectAfterTheDeletionProtectsNothing() {
        Cluster cluster = filled(27);
        take(cluster);
        Cluster copy = new Cluster(2, 10);
        copy.objects.adopt(cluster.objects);
        List<String> pins = cluster.objects.keys("backup/").stream()
                .filter(key -> key.contains("/pin/"))
                .toList();
        done(cluster, new AdminRequest.DeleteBackup(B));
        pins.forEach(pin -> cluster.objects.adopt(copy.objects, pin));
        done(cluster, new AdminRequest.DropTable(Cluster.T));
        cluster.loop.run(30 * SECOND);
        assertThat(pins).isNotEmpty();
        assertThat(cluster.objects.keys("backup/")).isEmpty();
    }

    /** The primary's put takes effect after the deletion, so the primary finds the mark beside its definition. */
    @Test
    void aPrimaryTakesBackADefinitionOfADroppedTable() {
        Cluster cluster = new Cluster(2, 10);
        cluster.objects.hold("definition/");
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.await(() -> cluster.objects.holding() == 1, 20);
        String mark = StoredTableDefinition.dropped("test", 1);
        cluster.objects.set(mark, "dropped");
        cluster.objects.release();
        cluster.loop.run(20 * SECOND);
        assertThat(cluster.objects.keys("definition/")).containsExactly(mark);
    }

    @Test
    void numbersOfObjectsWithoutADefinitionAreNotUsedAgain() {
        Cluster cluster = new Cluster(2, 10);
        cluster.objects.set("backup/test/41/0/log/%020d-%020d-%020d".formatted(1, 2, 3), "x");
        cluster.create(1, 1, 1, OnLoss.WAIT);
        assertThat(cluster.map().tableId()).isEqualTo(42);
    }

    @Test
    void whatADeletedBackupKeptOfALiveTableIsSwept() {
        Cluster cluster = filled(27);
        take(cluster);
        for (int i = 27; i < 90; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.loop.run(20 * SECOND);
        int kept = cluster.objects.keys("backup/test/1/0/").size();
        done(cluster, new AdminRequest.DeleteBackup(B));
        cluster.loop.run(20 * SECOND);
        assertThat(cluster.objects.keys("backup/test/1/0/pin/")).isEmpty();
        assertThat(cluster.objects.keys("backup/test/1/0/")).hasSizeLessThan(kept);
        assertThat(cluster.objects.keys("backup/test/1/0/checkpoint/"))
                .filteredOn(key -> key.contains("manifest"))
                .hasSize(1);
    }

    @Test
    void everyDamagedObjectIsFoundAndNothingIsMadeOfIt() {
        Cluster cluster = filled(27);
        take(cluster);
        List<String> keys = cluster.objects.keys("backup/test/1/");
        for (String key : keys) {
            Cluster other = filled(27);
            take(other);
            other.objects.flip(key);
            boolean superfluous = !(ask(other, new AdminRequest.VerifyBackup(B)) instanceof Outcome.Err);
            if (superfluous) {
                continue; // shipped after the backup was taken, or about to be deleted
            }
            UniserveException error = refused(other, new AdminRequest.RestoreTable(B, COPY));
            assertThat(error.code()).as(key).isEqualTo(ErrorCode.CORRUPT);
            assertThat(other.store.value(RegistryPaths.map(COPY))).isNull();
            other.loop.run(30 * SECOND);
            assertThat(other.objects.keys("backup/test/2/")).as("left over").isEmpty();
        }
    }

    @Test
    void badRequestsChangeNothing() {
        Cluster cluster = filled(5);
        take(cluster);
        cluster.loop.run(10 * SECOND);
        List<String> objects = cluster.objects.keys("");
        BackupName absent = new BackupName("absent");
        assertThat(refused(cluster, new AdminRequest.BackupTable(Cluster.T, B)).code())
                .isEqualTo(ErrorCode.BACKUP_EXISTS);
        assertThat(refused(cluster, new AdminRequest.BackupTable(COPY, absent)).code())
                .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        assertThat(refused(cluster, new AdminRequest.RestoreTable(absent, COPY)).code())
                .isEqualTo(ErrorCode.BACKUP_NOT_FOUND);
        assertThat(refused(cluster, new AdminRequest.RestoreTable(B, Cluster.T)).code())
                .isEqualTo(ErrorCode.TABLE_EXISTS);
        assertThat(refused(cluster, new AdminRequest.DeleteBackup(absent)).code())
                .isEqualTo(ErrorCode.BACKUP_NOT_FOUND);
        assertThat(refused(cluster, new AdminRequest.VerifyBackup(absent)).code())
                .isEqualTo(ErrorCode.BACKUP_NOT_FOUND);
        assertThat(refused(cluster, new AdminRequest.SalvageTable(77, absent)).code())
                .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        assertThat(cluster.objects.keys("")).isEqualTo(objects);
    }

    @Test
    void aBackupWhileStorageIsAwayFailsAndIsTakenAgain() {
        Cluster cluster = filled(12);
        cluster.loop.run(5 * SECOND);
        cluster.objects.down(true);
        assertThat(refused(cluster, new AdminRequest.BackupTable(Cluster.T, B))
                        .code()
                        .retriable())
                .isTrue();
        cluster.objects.down(false);
        take(cluster);
        assertThat(list(cluster)).singleElement().extracting(BackupInfo::state).isEqualTo(BackupInfo.State.COMPLETE);
        done(cluster, new AdminRequest.RestoreTable(B, COPY));
        assertThat(rows(cluster, COPY, 0)).containsExactlyElementsOf(names(12));
    }

    @Test
    void aNewClusterOnTheOldStorageRestoresTheLostTables() {
        Cluster lost = filled(27);
        lost.loop.run(20 * SECOND);
        Cluster cluster = new Cluster(2, 10);
        cluster.objects.adopt(lost.objects);
        List<TableMeta> tables = ((AdminReply.Definitions) done(cluster, new AdminRequest.LostTables())).tables();
        assertThat(tables)
                .singleElement()
                .extracting(meta -> meta.name().value())
                .isEqualTo("t");
        BackupName named = new BackupName("lost-t-" + tables.get(0).tableId());
        done(cluster, new AdminRequest.SalvageTable(tables.get(0).tableId(), named));
        done(cluster, new AdminRequest.RestoreTable(named, Cluster.T));
        assertThat(rows(cluster, Cluster.T, 0)).containsExactlyElementsOf(names(27));
        assertThat(cluster.map().tableId()).isGreaterThan(tables.get(0).tableId());
        // Restored actors keep the table of requests too, so this client must differ from the one before.
        cluster.ack(cluster.send(new RequestId(7, 7, 1), AckLevel.ISR, "after"));
        assertThat(rows(cluster, Cluster.T, 0)).hasSize(28);
        done(cluster, new AdminRequest.DeleteBackup(named));
        assertThat(cluster.objects.keys("backup/test/1/")).isEmpty();
    }

    @Test
    void anotherBackupOfALostTableTakesNothingElseAlong() {
        Cluster lost = filled(27);
        lost.loop.run(20 * SECOND);
        Cluster cluster = new Cluster(2, 10);
        cluster.objects.adopt(lost.objects);
        done(cluster, new AdminRequest.LostTables());
        done(cluster, new AdminRequest.SalvageTable(1, B));
        List<String> before = cluster.objects.keys("backup/test/1/");
        done(cluster, new AdminRequest.DeleteBackup(B));
        assertThat(cluster.objects.keys("backup/test/1/"))
                .as("no tombstone says that the table was dropped")
                .isEqualTo(before.stream().filter(key -> !key.contains("/pin/")).toList())
                .isNotEmpty();
        assertThat(((AdminReply.Definitions) done(cluster, new AdminRequest.LostTables())).tables())
                .hasSize(1);
    }

    @Test
    void aDefinitionThatIsReplacedWhileItIsReadIsFound() {
        Cluster cluster = filled(5);
        cluster.loop.run(20 * SECOND);
        Cluster other = new Cluster(2, 10);
        other.objects.adopt(cluster.objects);
        String key = other.objects.keys("definition/").get(0);
        String newer = key.replace("-0000000001-", "-0000000002-");
        assertThat(newer).isNotEqualTo(key);
        other.objects.meanwhile(() -> other.objects.rename(key, newer));
        AdminReply.Definitions found = (AdminReply.Definitions) done(other, new AdminRequest.LostTables());
        assertThat(found.tables()).hasSize(1);
        other.objects.meanwhile(() -> other.objects.remove(newer));
        AdminReply.Definitions none = (AdminReply.Definitions) done(other, new AdminRequest.LostTables());
        assertThat(none.tables()).as("erased meanwhile").isEmpty();
    }

    @Test
    void theFirstTableOfANewClusterGetsNoNumberThatStorageKnows() {
        Cluster lost = filled(5);
        lost.loop.run(15 * SECOND);
        Cluster cluster = new Cluster(2, 10);
        cluster.objects.adopt(lost.objects);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        assertThat(cluster.map().tableId()).isGreaterThan(lost.map().tableId());
    }
}
