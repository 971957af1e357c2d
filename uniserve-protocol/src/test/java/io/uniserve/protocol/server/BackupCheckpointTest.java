package io.uniserve.protocol.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checkpoints in durable storage: uploads, records, deletion, takeovers and learners. */
class BackupCheckpointTest {
    private static final long SECOND = Cluster.SECOND;

    private static boolean recorded(Cluster cluster, long index) {
        RegistryValue value = cluster.store.value(RegistryPaths.backup(Cluster.T, cluster.key(0)));
        return value instanceof BackupRecord record && record.checkpointIndex() >= index;
    }

    /** One actor on one server, with a checkpoint in durable storage and some log after it. */
    private static Cluster backedUp(int servers, OnLoss onLoss) {
        Cluster cluster = new Cluster(servers, 10);
        cluster.create(1, 1, 1, onLoss);
        for (int i = 0; i < 24; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.await(() -> recorded(cluster, 10) && cluster.clean(0), 20);
        cluster.update(AckLevel.ISR, "tail");
        cluster.await(() -> cluster.clean(0), 10);
        cluster.loop.run(2 * SECOND);
        return cluster;
    }

    private static List<String> logs(Cluster cluster) {
        return cluster.objects.keys("backup/test/" + cluster.map().tableId() + "/0/log/");
    }

    private static List<String> objects(Cluster cluster) {
        return cluster.objects.keys("backup/test/" + cluster.map().tableId() + "/0/checkpoint/");
    }

    private static List<String> rows(Cluster cluster) {
        return List.copyOf(cluster.primary(0).engine().rows(cluster.key(0)));
    }

    private static ServerId takenOver(Cluster cluster) {
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).kill();
        cluster.await(() -> !cluster.actor(0).primary().equals(old), 60);
        return old;
    }

    @Test
    void logCoveredByTheCheckpointIsDeleted() {
        Cluster cluster = backedUp(1, OnLoss.WAIT);
        long covered = cluster.backup(0).checkpointIndex();
        assertThat(logs(cluster)).isNotEmpty().allMatch(key -> Long.parseLong(key.split("[/-]")[6]) > covered);
        assertThat(objects(cluster))
                .filteredOn(key -> key.contains("manifest"))
                .containsExactly(cluster.backup(0).checkpoint());
    }

    @Test
    void aCheckpointDamagedBeforeItIsBackedUpDoesNotReplaceAWholeBackup() {
        Cluster cluster = backedUp(2, OnLoss.WAIT);
        long covered = cluster.backup(0).checkpointIndex();
        cluster.objects.down(true);
        for (int i = 0; i < 24; i++) {
            cluster.update(AckLevel.PRIMARY, "s" + i);
        }
        cluster.loop.run(2 * SECOND);
        Host primary = cluster.primary(0);
        List<String> damaged = primary.disk.files(cluster.key(0) + "/checkpoint/").stream()
                .filter(file -> file.endsWith("/constant"))
                .toList();
        damaged.forEach(file -> primary.disk.flip(file, 3));
        cluster.objects.down(false);
        cluster.await(() -> recorded(cluster, covered + 1) && cluster.clean(0), 60);
        List<String> rows = rows(cluster);
        takenOver(cluster);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 60);
        assertThat(rows(cluster)).isEqualTo(rows);
        assertThat(damaged).isNotEmpty();
        String constant = cluster.primary(0).disk.files(cluster.key(0) + "/checkpoint/").stream()
                .filter(file -> file.endsWith("/constant"))
                .findFirst()
                .orElseThrow();
        assertThat(new String(cluster.primary(0).disk.bytes(constant), UTF_8)).isEqualTo("never changes");
    }

    @Test
    void anotherServerTakesOverFromCheckpointAndLog() {
        Cluster cluster = backedUp(2, OnLoss.WAIT);
        List<String> rows = rows(cluster);
        assertThat(rows).hasSize(25);
        takenOver(cluster);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        assertThat(rows(cluster)).isEqualTo(rows);
        cluster.update(AckLevel.ISR, "after");
        assertThat(rows(cluster)).hasSize(26);
        for (int i = 0; i < 30; i++) {
            cluster.update(AckLevel.ISR, "s" + i);
        }
        cluster.await(() -> recorded(cluster, 40) && cluster.clean(0), 30);
        List<String> more = rows(cluster);
        ServerId second = cluster.actor(0).primary();
        cluster.server(second).kill();
        cluster.server("s3").start();
        cluster.await(() -> !cluster.actor(0).primary().equals(second), 60);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        assertThat(rows(cluster)).isEqualTo(more);
    }

    @Test
    void restartOfAServerThatTookOverNeedsNoStorage() {
        Cluster cluster = backedUp(2, OnLoss.WAIT);
        takenOver(cluster);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        cluster.update(AckLevel.ISR, "after");
        List<String> rows = rows(cluster);
        cluster.objects.down(true);
        Host host = cluster.primary(0);
        host.kill();
        host.start();
        cluster.await(() -> host.serving(cluster.key(0)), 30);
        assertThat(host.engine().rows(cluster.key(0))).isEqualTo(rows);
    }

    @Test
    void learnersOfAPrimaryWhoseLogIsShortBeginWithTheCheckpoint() {
        Cluster cluster = new Cluster(2, 10);
        cluster.create(1, 2, 1, OnLoss.RESTORE_ACTOR);
        for (int i = 0; i < 25; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.await(() -> recorded(cluster, 20) && cluster.backup(0).shippedIndex() >= 26, 40);
        List<String> rows = rows(cluster);
        ActorState before = cluster.actor(0);
        before.isr().forEach(id -> cluster.server(id).kill());
        cluster.server("s3").start();
        cluster.server("s4").start();
        cluster.await(() -> cluster.actor(0).primary().value().matches("s[34]"), 60);
        cluster.converge(0, 2);
        assertThat(rows(cluster)).isEqualTo(rows);
        cluster.update(AckLevel.ISR, "after");
        cluster.converge(0, 2);
        ServerId primary = cluster.actor(0).primary();
        cluster.server(primary).kill();
        cluster.await(() -> !cluster.actor(0).primary().equals(primary), 60);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        assertThat(rows(cluster)).hasSize(26);
        // The replicas with the whole log become learners of a primary with a shorter one.
        before.isr().forEach(id -> cluster.server(id).start());
        cluster.converge(0, 2);
        cluster.update(AckLevel.ISR, "more");
        cluster.converge(0, 2);
        assertThat(rows(cluster)).hasSize(27);
    }

    @Test
    void filesThatDidNotChangeAreNotSentAgain() {
        Cluster cluster = backedUp(1, OnLoss.WAIT);
        long before = cluster.backup(0).checkpointIndex();
        List<String> kept = objects(cluster);
        for (int i = 0; i < 40; i++) {
            cluster.update(AckLevel.ISR, "more" + i);
        }
        cluster.await(() -> recorded(cluster, before + 20) && cluster.clean(0), 30);
        cluster.loop.run(2 * SECOND);
        assertThat(objects(cluster))
                .doesNotContainAnyElementsOf(
                        kept.stream().filter(k -> k.contains("manifest")).toList());
        // The testing engine writes a file that never changes.
        assertThat(objects(cluster)).containsAnyElementsOf(kept);
    }

    @Test
    void damagedManifestIsRefused() {
        refused(cluster -> cluster.objects.flip(cluster.backup(0).checkpoint()));
    }

    @Test
    void shortManifestIsRefused() {
        refused(cluster -> cluster.objects.truncate(cluster.backup(0).checkpoint()));
    }

    @Test
    void damagedFilesAreRefused() {
        refused(cluster -> objects(cluster).stream()
                .filter(key -> !key.contains("manifest"))
                .forEach(cluster.objects::flip));
    }

    @Test
    void shortFilesAreRefused() {
        refused(cluster -> objects(cluster).stream()
                .filter(key -> !key.contains("manifest"))
                .forEach(cluster.objects::truncate));
    }

    @Test
    void missingFilesAreRefused() {
        refused(cluster -> objects(cluster).stream()
                .filter(key -> !key.contains("manifest"))
                .forEach(cluster.objects::remove));
    }

    @Test
    void damagedLogIsRefused() {
        refused(cluster -> logs(cluster).forEach(cluster.objects::flip));
    }

    @Test
    void shortLogIsRefused() {
        refused(cluster -> logs(cluster).forEach(cluster.objects::truncate));
    }

    @Test
    void missingLogIsRefused() {
        refused(cluster -> logs(cluster).forEach(cluster.objects::remove));
    }

    @Test
    void aWholeCopyThatReturnsWhileItsTakeoverFailsIsTakenBack() {
        Cluster cluster = backedUp(3, OnLoss.WAIT);
        List<String> rows = rows(cluster);
        List<String> damaged = objects(cluster);
        damaged.forEach(cluster.objects::flip);
        ServerId old = takenOver(cluster);
        long epoch = cluster.actor(0).epoch();
        cluster.loop.run(300 * SECOND);
        assertThat(cluster.actor(0).epoch()).as("takeovers").isBetween(epoch + 3, epoch + 5);
        assertThat(cluster.primary(0).serving(cluster.key(0))).isFalse();
        cluster.server(old).start();
        cluster.await(() -> cluster.actor(0).primary().equals(old), 5);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 5);
        assertThat(rows(cluster)).isEqualTo(rows);
        assertThat(cluster.server(old).disk.files("quarantine/")).isEmpty();
        cluster.update(AckLevel.ISR, "after");
        for (int i = 0; i < 30; i++) {
            cluster.update(AckLevel.ISR, "s" + i);
        }
        cluster.await(() -> recorded(cluster, 40) && cluster.clean(0), 30);
        List<String> more = rows(cluster);
        assertThat(more).hasSize(56);
        // The backup continues where it was, without a trace of the failed takeovers.
        takenOver(cluster);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        assertThat(rows(cluster)).isEqualTo(more);
    }

    @Test
    void aWholeCopyThatWasCutOffFromTheRegistryIsTakenBackWithoutARestart() {
        Cluster cluster = backedUp(2, OnLoss.WAIT);
        List<String> rows = rows(cluster);
        objects(cluster).forEach(cluster.objects::flip);
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).registry().cut(true);
        cluster.server(old).registry().expireUnnoticed();
        cluster.network.stop(cluster.server(old).address());
        cluster.await(() -> !cluster.actor(0).primary().equals(old), 60);
        cluster.server(old).registry().cut(false);
        cluster.network.serve(cluster.server(old).address(), cluster.server(old).machine()::onPeer);
        cluster.await(() -> cluster.server(old).serving(cluster.key(0)), 60);
        assertThat(rows(cluster)).isEqualTo(rows);
    }

    @Test
    void aRestoredCopyThatHasNotBegunLeavesNoTraceInTheBackup() {
        Cluster cluster = backedUp(2, OnLoss.WAIT);
        List<String> logs = logs(cluster);
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).kill();
        cluster.await(() -> !cluster.actor(0).primary().equals(old), 60);
        // The coordinator does not get the report that the actor has started.
        cluster.network.stop(new io.uniserve.model.Address("c1", 7000));
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        cluster.loop.run(20 * SECOND);
        assertThat(cluster.actor(0).epochStarted()).isFalse();
        assertThat(logs(cluster)).isEqualTo(logs);
    }

    private static void refused(java.util.function.Consumer<Cluster> damage) {
        Cluster cluster = backedUp(2, OnLoss.WAIT);
        damage.accept(cluster);
        takenOver(cluster);
        cluster.loop.run(30 * SECOND);
        assertThat(cluster.primary(0).serving(cluster.key(0))).isFalse();
        assertThat(cluster.primary(0).fatal).isEmpty();
    }

    @Test
    void storageThatFailsForAWhileHoldsNothingUp() {
        Cluster cluster = new Cluster(2, 10);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "first");
        cluster.await(() -> cluster.clean(0), 20);
        cluster.objects.down(true);
        for (int i = 0; i < 35; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        cluster.loop.run(30 * SECOND);
        assertThat(cluster.primary(0).serving(cluster.key(0))).isTrue();
        assertThat(cluster.backup(0).shippedIndex()).isLessThan(5);
        cluster.objects.down(false);
        cluster.await(() -> recorded(cluster, 30) && cluster.clean(0), 40);
        List<String> rows = rows(cluster);
        takenOver(cluster);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        assertThat(rows(cluster)).isEqualTo(rows);
    }
}
