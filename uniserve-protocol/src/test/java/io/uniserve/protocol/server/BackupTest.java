package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.backup.format.BackupLog;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackupTest {
    private static final long SECOND = Cluster.SECOND;

    private static long logs(Cluster cluster) {
        return cluster.objects.keys("").stream()
                .filter(key -> key.contains("/log/"))
                .count();
    }

    @Test
    void cleanMarkFollowsTheLog() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.await(() -> cluster.clean(0), 10);
        cluster.update(AckLevel.PRIMARY, "a");
        assertThat(cluster.clean(0)).isFalse();
        cluster.await(() -> cluster.clean(0), 10);
        assertThat(cluster.backup(0).shippedIndex()).isEqualTo(2);
    }

    @Test
    void soleReplicaIsTakenOverWithoutLoss() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        for (int i = 0; i < 10; i++) {
            cluster.update(AckLevel.ISR, "r" + i);
        }
        List<String> rows = List.copyOf(cluster.primary(0).engine().rows(cluster.key(0)));
        cluster.await(() -> cluster.clean(0), 10);
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).kill();
        cluster.await(() -> !cluster.actor(0).primary().equals(old), 60);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).isEqualTo(rows);
        cluster.update(AckLevel.ISR, "after");
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(11);
        cluster.server(old).start();
        cluster.await(
                () -> cluster.server(old).disk.files(cluster.key(0).toString()).isEmpty(), 30);
    }

    @Test
    void unshippedUpdatesAreWaitedFor() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.objects.down(true);
        cluster.update(AckLevel.ISR, "a");
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).kill();
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.actor(0).primary()).isEqualTo(old);
        cluster.server(old).start();
        cluster.update(AckLevel.ISR, "b");
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(2);
    }

    @Test
    void deposedSoleReplicaAcknowledgesNothing() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.await(() -> cluster.clean(0), 10);
        Host old = cluster.primary(0);
        ServerId oldId = cluster.actor(0).primary();
        long epoch = cluster.actor(0).epoch();
        old.registry().cut(true);
        old.registry().expireUnnoticed();
        cluster.network.stop(new io.uniserve.model.Address(oldId.value(), 8000));
        cluster.await(() -> !cluster.actor(0).primary().equals(oldId), 60);
        List<Outcome<UpdateReply>> late = cluster.send(old, epoch, cluster.nextId(), AckLevel.PRIMARY, "late");
        assertThat(cluster.failure(late).code()).isNotNull();
        old.registry().cut(false);
        assertThat(cluster.failure(cluster.send(old, epoch, cluster.nextId(), AckLevel.PRIMARY, "later"))
                        .code())
                .isNotNull();
    }

    /** The record is due every ten seconds. A failed write of it does not affect the clean mark, which is not set. */
    @Test
    void updatesGoOnAndAreShippedWhileTheRegistryIsAway() {
        Cluster cluster = new Cluster(3);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "before");
        cluster.await(() -> logs(cluster) > 0, 20);
        cluster.servers.values().forEach(host -> host.registry().cut(true));
        cluster.coordinatorRegistry.cut(true);
        for (int i = 0; i < 30; i++) {
            cluster.ack(cluster.send(cluster.nextId(), AckLevel.ISR, "r" + i));
            cluster.loop.run(SECOND);
        }
        assertThat(logs(cluster)).isGreaterThan(15);
        cluster.servers.values().forEach(host -> host.registry().cut(false));
        cluster.coordinatorRegistry.cut(false);
        cluster.await(() -> cluster.backup(0).shippedIndex() == 32, 20);
        assertThat(cluster.clean(0)).isFalse();
    }

    /** It is unknown whether the mark was set, so it counts as set. */
    @Test
    void anUpdateWaitsForTheRegistryWhereTheMarkMayBeSet() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.await(() -> cluster.clean(0), 20);
        cluster.update(AckLevel.ISR, "b");
        assertThat(cluster.clean(0)).isFalse();
        for (int i = 0; i < 20; i++) {
            cluster.primary(0).registry().loseNextAnswer();
        }
        cluster.await(() -> cluster.clean(0), 20);
        cluster.primary(0).registry().cut(true);
        assertThat(cluster.failure(cluster.send(cluster.nextId(), AckLevel.ISR, "c"))
                        .code())
                .isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(cluster.clean(0)).isTrue();
        cluster.primary(0).registry().cut(false);
        cluster.update(AckLevel.ISR, "d");
        assertThat(cluster.clean(0)).isFalse();
    }

    @Test
    void lossyTableGoesOnWithWhatWasShipped() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 1, 1, OnLoss.RESTORE_ACTOR);
        cluster.update(AckLevel.ISR, "a");
        cluster.await(() -> cluster.clean(0), 10);
        cluster.objects.down(true);
        cluster.update(AckLevel.ISR, "lost");
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).kill();
        cluster.objects.down(false);
        cluster.await(() -> !cluster.actor(0).primary().equals(old), 60);
        cluster.update(AckLevel.ISR, "b");
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(2).noneMatch(row -> row.endsWith("lost"));
        cluster.server(old).start();
        cluster.await(() -> !cluster.server(old).disk.files("quarantine/").isEmpty(), 30);
    }

    /** The record is behind the shipped log. A primary that ships a part of it again, and dies, must not hide the rest. */
    @Test
    void whatAnEarlierPrimaryShippedStaysInStorage() {
        Cluster cluster = new Cluster(2, 20_000, new LogOptions(300, 100, 1 << 20)); // an object has one segment
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.await(() -> cluster.actor(0).isr().size() == 2, 20);
        long recorded = 0;
        long last = 0;
        for (int i = 0; i < 30 || last - recorded < 8; i++) {
            assertThat(i).isLessThan(100);
            last = cluster.update(AckLevel.ISR, "r".repeat(40) + i);
            long due = last;
            cluster.await(() -> inStorage(cluster) >= due, 20);
            recorded = cluster.backup(0).shippedIndex();
        }
        long before = last;
        long epoch = cluster.actor(0).epoch();
        cluster.primary(0).kill();
        cluster.await(
                () -> {
                    assertThat(inStorage(cluster)).isGreaterThanOrEqualTo(before);
                    return inStorage(cluster) > before;
                },
                60);
        assertThat(cluster.actor(0).epoch()).isGreaterThan(epoch);
    }

    /** The last index of the log that a later primary would read. */
    private static long inStorage(Cluster cluster) {
        return BackupLog.end(cluster.objects.keys(""), "test", cluster.key(0));
    }
}
