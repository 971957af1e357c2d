package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Dropped tables leave nothing in durable storage. */
class BackupDropTest {
    private static Cluster filled(int servers) {
        Cluster cluster = new Cluster(servers, 10);
        cluster.create(3, 1, 1, OnLoss.WAIT);
        for (int i = 0; i < 15; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.await(() -> !cluster.objects.keys("backup/test/").isEmpty() && recorded(cluster), 20);
        return cluster;
    }

    private static boolean recorded(Cluster cluster) {
        return cluster.store.value(RegistryPaths.backup(Cluster.T, cluster.key(0))) != null
                && cluster.backup(0).checkpointIndex() > 0;
    }

    private static void drop(Cluster cluster) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.DropTable(Cluster.T), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 20);
        assertThat(outcome.get(0)).isInstanceOf(Outcome.Ok.class);
    }

    private static boolean nothingLeft(Cluster cluster) {
        return cluster.objects.keys("backup/").isEmpty()
                && cluster.store.children(RegistryPaths.backups(Cluster.T)).isEmpty();
    }

    @Test
    void objectsGoWithTheTable() {
        Cluster cluster = filled(2);
        drop(cluster);
        cluster.await(() -> nothingLeft(cluster), 20);
    }

    @Test
    void serversThatAreGoneForGoodLeaveNothing() {
        Cluster cluster = filled(2);
        ServerId gone = cluster.actor(0).primary();
        cluster.server(gone).kill();
        drop(cluster);
        cluster.await(() -> nothingLeft(cluster), 60);
    }

    @Test
    void storageThatIsAwayIsCleanedLater() {
        Cluster cluster = filled(1);
        cluster.objects.down(true);
        drop(cluster);
        cluster.loop.run(30 * Cluster.SECOND);
        assertThat(nothingLeft(cluster)).isFalse();
        cluster.objects.down(false);
        cluster.await(() -> nothingLeft(cluster), 20);
    }

    @Test
    void aTableOfTheSameNameKeepsItsBackup() {
        Cluster cluster = filled(1);
        long old = cluster.map().tableId();
        drop(cluster);
        cluster.create(3, 1, 1, OnLoss.WAIT);
        for (int i = 0; i < 15; i++) {
            cluster.update(AckLevel.ISR, "s" + i);
        }
        cluster.await(() -> recorded(cluster) && cluster.backup(0).key().equals(cluster.key(0)), 20);
        cluster.await(() -> cluster.objects.keys("backup/test/" + old + "/").isEmpty(), 20);
        assertThat(cluster.objects.keys("backup/test/" + cluster.map().tableId() + "/0/checkpoint/"))
                .contains(cluster.backup(0).checkpoint());
    }

    /** The write of its primary arrives when another table has the name, with nodes of the same versions. */
    @Test
    void aLateRecordOfADroppedTableReplacesNoOther() {
        Cluster cluster = new Cluster(2, 10);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        ReplicaKey old = cluster.key(0);
        Host late = cluster.primary(0);
        cluster.await(() -> record(cluster).version() == 0, 20);
        int map = cluster.store.read(RegistryPaths.map(Cluster.T)).version();
        late.registry().hold(ops -> ops.stream().anyMatch(op -> op instanceof Registry.Op.Set set && of(old, set)));
        cluster.update(AckLevel.PRIMARY, "a");
        cluster.await(() -> late.registry().holding() > 0, 20);
        drop(cluster);
        cluster.await(
                () -> cluster.store.read(RegistryPaths.backup(Cluster.T, old)).version() == Registry.ABSENT, 20);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.await(() -> record(cluster).version() == 0, 20);
        assertThat(cluster.store.read(RegistryPaths.map(Cluster.T)).version())
                .as("the late write's check of the map finds nothing")
                .isEqualTo(map);
        assertThat(cluster.backup(0).key()).isEqualTo(cluster.key(0));
        late.registry().release();
        cluster.loop.run(Cluster.SECOND / 10);
        assertThat(cluster.backup(0).key()).isEqualTo(cluster.key(0)).isNotEqualTo(old);
    }

    private static boolean of(ReplicaKey key, Registry.Op.Set set) {
        return set.value() instanceof BackupRecord record && record.key().equals(key);
    }

    private static Registry.Versioned record(Cluster cluster) {
        return cluster.store.read(RegistryPaths.backup(Cluster.T, cluster.key(0)));
    }

    @Test
    void aTableThatIsThereIsNotErased() {
        Cluster cluster = filled(1);
        ReplicaKey key = cluster.key(0);
        List<Outcome<PeerReply>> outcome = new ArrayList<>();
        cluster.primary(0).machine().onPeer(new PeerRequest.EraseBackup(Cluster.T, key), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 10);
        assertThat(outcome.get(0))
                .isInstanceOfSatisfying(
                        Outcome.Err.class, err -> assertThat(err.error().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        assertThat(cluster.objects.keys("backup/test/" + key.tableId() + "/0/")).isNotEmpty();
    }
}
