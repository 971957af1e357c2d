package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The only replica has an intact log that starts after a checkpoint, and no intact checkpoint. */
class LostCheckpointTest {
    private static final long SECOND = Cluster.SECOND;

    private static boolean recorded(Cluster cluster, long index) {
        RegistryValue value = cluster.store.value(RegistryPaths.backup(Cluster.T, cluster.key(0)));
        return value instanceof BackupRecord record && record.checkpointIndex() >= index;
    }

    /** One actor on one server that once took it over, so its log does not start at index 1. */
    private static Cluster shortLog() {
        Cluster cluster = new Cluster(2, 10);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        for (int i = 0; i < 24; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.await(() -> recorded(cluster, 10) && cluster.clean(0), 20);
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).kill();
        cluster.await(
                () -> !cluster.actor(0).primary().equals(old)
                        && cluster.actor(0).epochStarted(),
                60);
        for (int i = 0; i < 12; i++) {
            cluster.update(AckLevel.ISR, "s" + i);
        }
        cluster.await(() -> recorded(cluster, 30) && cluster.clean(0), 20);
        return cluster;
    }

    private static Host damaged(Cluster cluster) {
        Host host = cluster.primary(0);
        host.kill();
        List<String> manifests = host.disk.files(cluster.key(0) + "/checkpoint/").stream()
                .filter(path -> path.endsWith("/manifest"))
                .toList();
        assertThat(manifests).isNotEmpty();
        manifests.forEach(path -> host.disk.flip(path, 12));
        return host;
    }

    private static void storedObjects(Cluster cluster) {
        cluster.objects
                .keys("backup/test/" + cluster.map().tableId() + "/0/checkpoint/")
                .forEach(cluster.objects::flip);
    }

    @Test
    void theBackedUpCheckpointAndTheLogGiveEverythingBack() {
        Cluster cluster = shortLog();
        cluster.objects.down(true);
        cluster.update(AckLevel.ISR, "not shipped");
        List<String> rows = List.copyOf(cluster.primary(0).engine().rows(cluster.key(0)));
        assertThat(rows).hasSize(37);
        long epoch = cluster.actor(0).epoch();
        Host host = damaged(cluster);
        cluster.objects.down(false);
        host.start();
        cluster.await(() -> host.serving(cluster.key(0)), 10);
        assertThat(host.engine().rows(cluster.key(0))).isEqualTo(rows);
        assertThat(cluster.actor(0).epoch()).isEqualTo(epoch);
        cluster.update(AckLevel.ISR, "after");
        assertThat(host.engine().rows(cluster.key(0))).hasSize(38);
        // The fetched checkpoint is like any other.
        cluster.objects.down(true);
        host.kill();
        host.start();
        cluster.await(() -> host.serving(cluster.key(0)), 10);
        assertThat(host.engine().rows(cluster.key(0))).hasSize(38);
    }

    @Test
    void storageThatIsAwayIsWaitedFor() {
        Cluster cluster = shortLog();
        cluster.objects.down(true);
        cluster.update(AckLevel.ISR, "not shipped");
        Host host = damaged(cluster);
        host.start();
        cluster.loop.run(60 * SECOND);
        assertThat(host.serving(cluster.key(0))).isFalse();
        cluster.objects.down(false);
        cluster.await(() -> host.serving(cluster.key(0)), 60);
        assertThat(host.engine().rows(cluster.key(0))).hasSize(37);
    }

    @Test
    void withADamagedBackupItStaysAwayAndSaysSoUntilTheBackupIsPutRight() {
        Cluster cluster = shortLog();
        cluster.objects.down(true);
        cluster.update(AckLevel.ISR, "not shipped");
        Host host = damaged(cluster);
        cluster.objects.down(false);
        storedObjects(cluster);
        host.start();
        cluster.loop.run(90 * SECOND);
        assertThat(host.serving(cluster.key(0))).isFalse();
        assertThat(cluster.primary(0)).isSameAs(host);
        assertThat(cluster.failure(cluster.send(cluster.nextId(), AckLevel.ISR, "b"))
                        .code())
                .isIn(ErrorCode.UNAVAILABLE, ErrorCode.NOT_PRIMARY);
        storedObjects(cluster);
        cluster.await(() -> host.serving(cluster.key(0)), 60);
        assertThat(host.engine().rows(cluster.key(0))).hasSize(37);
        cluster.update(AckLevel.ISR, "after");
    }
}
