package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Logs with a truncated front: the entries that stay, and replicas that can still catch up. */
class ShortLogTest {
    private static final long SECOND = Cluster.SECOND;
    private static final LogOptions SMALL = new LogOptions(400, 200, 1 << 20, 0);

    private static Cluster cluster(int servers, int rf, LogOptions log) {
        Cluster cluster = new Cluster(servers, 10, log);
        cluster.create(1, rf, 1, OnLoss.WAIT);
        return cluster;
    }

    private static void write(Cluster cluster, String name, int count) {
        for (int i = 0; i < count; i++) {
            cluster.update(AckLevel.ISR, name + i);
            cluster.loop.run(SECOND / 5);
        }
    }

    /** Index of the first entry on the host's disk. */
    private static long first(Cluster cluster, Host host) {
        return host.disk.files(cluster.key(0) + "/log/").stream()
                .map(path -> path.substring(path.lastIndexOf('/') + 1, path.length() - 4))
                .mapToLong(Long::parseLong)
                .min()
                .orElse(0);
    }

    private static Host follower(Cluster cluster) {
        ServerId id = cluster.actor(0).isr().stream()
                .filter(member -> !member.equals(cluster.actor(0).primary()))
                .findFirst()
                .orElseThrow();
        return cluster.server(id);
    }

    private static List<String> rows(Cluster cluster) {
        return List.copyOf(cluster.primary(0).engine().rows(cluster.key(0)));
    }

    private static void awaitShort(Cluster cluster, Host host, long from) {
        cluster.await(() -> first(cluster, host) > from, 60);
    }

    @Test
    void theFrontOfEveryReplicasLogGoesAndRestartsNeedNoStorage() {
        Cluster cluster = cluster(3, 3, SMALL);
        write(cluster, "r", 80);
        awaitShort(cluster, cluster.primary(0), 20);
        awaitShort(cluster, follower(cluster), 20);
        assertThat(first(cluster, cluster.primary(0)))
                .isLessThanOrEqualTo(cluster.backup(0).checkpointIndex() + 1);
        assertThat(first(cluster, follower(cluster))).isLessThanOrEqualTo(first(cluster, cluster.primary(0)));
        assertThat(cluster.primary(0).disk.files(cluster.key(0) + "/checkpoint/"))
                .filteredOn(path -> path.endsWith("/manifest"))
                .as("old checkpoints go as well")
                .hasSizeBetween(2, 3);
        List<String> rows = rows(cluster);
        cluster.objects.down(true);
        for (String name : List.of("s1", "s2", "s3")) {
            cluster.server(name).kill();
        }
        for (String name : List.of("s1", "s2", "s3")) {
            cluster.server(name).start();
        }
        cluster.converge(0, 3);
        assertThat(rows(cluster)).isEqualTo(rows).hasSize(80);
        cluster.update(AckLevel.ISR, "after");
    }

    @Test
    void withoutABackupNothingGoes() {
        Cluster cluster = cluster(3, 3, SMALL);
        cluster.objects.down(true);
        write(cluster, "r", 60);
        cluster.loop.run(10 * SECOND);
        assertThat(first(cluster, cluster.primary(0))).isEqualTo(1);
        assertThat(first(cluster, follower(cluster))).isEqualTo(1);
        cluster.objects.down(false);
        awaitShort(cluster, cluster.primary(0), 1);
    }

    /** A follower that is down until the primary's log starts after its last entry. */
    private static Host awayForLong(Cluster cluster) {
        write(cluster, "r", 30);
        Host away = follower(cluster);
        away.kill();
        cluster.await(() -> cluster.actor(0).isr().size() == 2, 30);
        write(cluster, "s", 60);
        awaitShort(cluster, cluster.primary(0), 40);
        return away;
    }

    @Test
    void whoWasAwayForLongBeginsFromTheCheckpoint() {
        Cluster cluster = cluster(3, 3, SMALL);
        Host away = awayForLong(cluster);
        away.start();
        cluster.converge(0, 3);
        assertThat(away.engine().rows(cluster.key(0))).isEqualTo(rows(cluster)).hasSize(90);
        assertThat(first(cluster, away)).isGreaterThan(40);
        assertThat(away.disk.files("quarantine/")).as("the old files are kept").isNotEmpty();
    }

    @Test
    void whoWasAwayShortlyCatchesUpByTheLog() {
        Cluster cluster = cluster(3, 3, new LogOptions(400, 200, 1 << 20, 8_000));
        write(cluster, "r", 80);
        Host away = follower(cluster);
        away.kill();
        cluster.await(() -> cluster.actor(0).isr().size() == 2, 30);
        write(cluster, "s", 40);
        awaitShort(cluster, cluster.primary(0), 1);
        away.start();
        cluster.converge(0, 3);
        assertThat(away.disk.files("quarantine/")).isEmpty();
        assertThat(away.engine().rows(cluster.key(0))).hasSize(120);
    }

    @Test
    void aLearnerOnItsWayHoldsTheLog() {
        Cluster cluster = cluster(3, 2, SMALL);
        write(cluster, "r", 60);
        awaitShort(cluster, cluster.primary(0), 10);
        ServerId spare = new ServerId(List.of("s1", "s2", "s3").stream()
                .filter(name -> !cluster.actor(0).isr().contains(new ServerId(name)))
                .findFirst()
                .orElseThrow());
        cluster.server(spare).disk.hang(true); // it cannot start
        follower(cluster).kill();
        cluster.await(() -> cluster.actor(0).learners().contains(spare), 30);
        cluster.loop.run(SECOND);
        long held = first(cluster, cluster.primary(0));
        write(cluster, "s", 60);
        cluster.loop.run(5 * SECOND);
        assertThat(cluster.actor(0).learners()).contains(spare);
        assertThat(first(cluster, cluster.primary(0))).isEqualTo(held);
        cluster.server(spare).disk.hang(false);
        cluster.converge(0, 2);
        awaitShort(cluster, cluster.primary(0), held);
        assertThat(cluster.server(spare).engine().rows(cluster.key(0))).hasSize(120);
    }

    @Test
    void requestsAreRememberedThroughTheCheckpoint() {
        Cluster cluster = cluster(3, 3, SMALL);
        RequestId id = cluster.nextId();
        List<Outcome<UpdateReply>> outcome = cluster.send(id, AckLevel.ISR, "once");
        cluster.await(() -> !outcome.isEmpty(), 10);
        long index = cluster.ack(outcome).index();
        write(cluster, "r", 80);
        awaitShort(cluster, follower(cluster), index);
        Host old = cluster.primary(0);
        old.kill();
        cluster.await(
                () -> !cluster.primary(0).equals(old) && cluster.primary(0).serving(cluster.key(0)), 60);
        cluster.update(AckLevel.ISR, "the new primary is ready");
        List<Outcome<UpdateReply>> again = cluster.send(id, AckLevel.ISR, "once");
        assertThat(cluster.ack(again).duplicate()).isTrue();
        assertThat(cluster.ack(again).index()).isEqualTo(index);
        assertThat(rows(cluster)).hasSize(82);
    }

    @Test
    void aTakeoverBeginsFromWhatWasShipped() {
        Cluster cluster = cluster(2, 1, SMALL);
        write(cluster, "r", 70);
        awaitShort(cluster, cluster.primary(0), 20);
        cluster.await(() -> cluster.clean(0), 30);
        Host old = cluster.primary(0);
        List<String> rows = rows(cluster);
        old.kill();
        cluster.await(
                () -> !cluster.primary(0).equals(old) && cluster.primary(0).serving(cluster.key(0)), 90);
        assertThat(rows(cluster)).isEqualTo(rows);
        write(cluster, "s", 60);
        awaitShort(cluster, cluster.primary(0), 80);
        assertThat(rows(cluster)).hasSize(130);
    }

    /** There are no updates after the damage, so no later checkpoint follows by itself. */
    @Test
    void aDamagedCheckpointInStorageIsReplacedForTheLearnerThatNeedsIt() {
        Cluster cluster = cluster(3, 3, SMALL);
        Host away = awayForLong(cluster);
        cluster.loop.run(20 * SECOND);
        String damaged = cluster.backup(0).checkpoint();
        cluster.objects
                .keys("backup/test/" + cluster.map().tableId() + "/0/checkpoint/")
                .forEach(cluster.objects::flip);
        away.start();
        cluster.await(() -> cluster.actor(0).isr().size() == 3, 120);
        cluster.converge(0, 3);
        assertThat(cluster.backup(0).checkpoint()).isNotEqualTo(damaged);
        assertThat(away.engine().rows(cluster.key(0))).isEqualTo(rows(cluster)).hasSize(90);
    }

    @Test
    void aHoleBehindTheCheckpointIsDamageAndTheReplicaIsMadeAnew() {
        Cluster cluster = cluster(3, 3, SMALL);
        write(cluster, "r", 80);
        Host host = follower(cluster);
        awaitShort(cluster, host, 20);
        host.kill();
        host.disk.wipe(cluster.key(0) + "/log/%020d.seg".formatted(first(cluster, host)));
        assertThat(host.disk.files(cluster.key(0) + "/log/")).isNotEmpty();
        host.start();
        cluster.await(() -> !host.disk.files("quarantine/").isEmpty(), 60);
        cluster.converge(0, 3);
        assertThat(host.engine().rows(cluster.key(0))).hasSize(80);
    }

    @Test
    void aCrashBetweenTheNoteAndTheFilesIsMadeGood() {
        Cluster cluster = cluster(3, 3, SMALL);
        write(cluster, "r", 40);
        Host host = follower(cluster);
        long before = first(cluster, host);
        host.disk.failDeletes(true);
        write(cluster, "s", 60);
        assertThat(first(cluster, host)).isEqualTo(before);
        host.kill();
        host.disk.failDeletes(false);
        host.start();
        awaitShort(cluster, host, before);
        cluster.converge(0, 3);
        assertThat(host.disk.files("quarantine/")).isEmpty();
        assertThat(host.engine().rows(cluster.key(0))).hasSize(100);
    }
}
