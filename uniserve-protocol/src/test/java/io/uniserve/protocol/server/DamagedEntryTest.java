package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A sole replica continues to serve although an old entry of its log is damaged on disk. */
class DamagedEntryTest {
    private static final long SECOND = Cluster.SECOND;
    private static final LogOptions NOTHING_CACHED = new LogOptions(1 << 20, 200, 1L << 30);

    /** Two replicas with a small cache. */
    private static Cluster created(int checkpointEntries) {
        Cluster cluster = new Cluster(2, checkpointEntries, NOTHING_CACHED);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        return cluster;
    }

    /** One of them is lost for good, and the first entries of the other are damaged. */
    private static Host sole(Cluster cluster, int updates) {
        for (int i = 0; i < updates; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        ServerId gone = cluster.actor(0).isr().get(1);
        cluster.server(gone).kill();
        cluster.await(() -> cluster.actor(0).isr().size() == 1, 30);
        cluster.update(AckLevel.ISR, "last");
        Host host = cluster.primary(0);
        String segment = host.disk.files(cluster.key(0) + "/log/").get(0);
        host.disk.flip(segment, 150);
        host.disk.flip(segment, 400);
        return host;
    }

    private static void fed(Cluster cluster, Host host, int rows) {
        ServerId old = cluster.actor(0).primary();
        cluster.server("s3").start();
        // A client that never pauses: the backup's log is never complete, so no server takes the actor over.
        int more = 0;
        while (cluster.actor(0).isr().contains(old)) {
            cluster.update(AckLevel.PRIMARY, "more " + more++);
            cluster.loop.run(SECOND / 5);
            assertThat(more).as("updates meanwhile").isLessThan(600);
        }
        cluster.converge(0, 2);
        assertThat(cluster.primary(0)).isNotSameAs(host);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(rows + more);
    }

    @Test
    void aLearnerIsFedFromTheBackedUpCheckpointBeyondIt() {
        Cluster cluster = created(10);
        Host host = sole(cluster, 40);
        fed(cluster, host, 41);
    }

    @Test
    void aCheckpointIsMadeAndBackedUpWhereThereIsNone() {
        Cluster cluster = created(20_000);
        Host host = sole(cluster, 40);
        fed(cluster, host, 41);
    }

    @Test
    void whatCouldNotBeShippedIsCoveredByTheCheckpoint() {
        Cluster cluster = created(20_000);
        cluster.objects.down(true);
        Host host = sole(cluster, 40);
        cluster.objects.down(false);
        cluster.await(
                () -> {
                    RegistryValue value = cluster.store.value(RegistryPaths.backup(Cluster.T, cluster.key(0)));
                    return value instanceof BackupRecord record && record.clean() && record.checkpointIndex() > 10;
                },
                60);
        List<String> rows = List.copyOf(host.engine().rows(cluster.key(0)));
        assertThat(rows).hasSize(41);
        host.kill();
        cluster.server("s3").start();
        cluster.await(
                () -> cluster.actor(0).primary().value().equals("s3")
                        && cluster.server("s3").serving(cluster.key(0)),
                90);
        assertThat(cluster.server("s3").engine().rows(cluster.key(0))).isEqualTo(rows);
    }
}
