package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Disks of one replica that are full, broken, damaged or lost. */
class DiskTroubleTest {
    private static final long SECOND = Cluster.SECOND;

    /** A table of one actor with this rf, with onLoss WAIT and these rows. */
    private static Cluster cluster(int servers, int rf, String... rows) {
        Cluster cluster = new Cluster(servers);
        cluster.create(1, rf, 1, OnLoss.WAIT);
        for (String row : rows) {
            cluster.update(AckLevel.ISR, row);
        }
        return cluster;
    }

    private static ServerId follower(Cluster cluster) {
        ActorState actor = cluster.actor(0);
        return actor.isr().stream()
                .filter(id -> !id.equals(actor.primary()))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> rows(Cluster cluster) {
        return List.copyOf(cluster.primary(0).engine().rows(cluster.key(0)));
    }

    @Test
    void aFollowerWithAFullDiskIsReplacedByAnotherServer() {
        Cluster cluster = cluster(3, 2, "a");
        ServerId full = follower(cluster);
        cluster.server(full).disk.full(true);
        cluster.update(AckLevel.ISR, "b");
        cluster.await(
                () -> cluster.actor(0).isr().size() == 2
                        && !cluster.actor(0).isr().contains(full),
                30);
        cluster.update(AckLevel.ISR, "c");
        cluster.converge(0, 2);
        assertThat(rows(cluster)).hasSize(3);
    }

    @Test
    void aFollowerComesBackAsALearnerWhenThereIsRoomAgain() {
        Cluster cluster = cluster(2, 2, "a");
        ServerId full = follower(cluster);
        cluster.server(full).disk.full(true);
        long before = cluster.loop.nanos();
        cluster.update(AckLevel.ISR, "b");
        assertThat(cluster.loop.nanos() - before).isLessThan(8 * SECOND);
        for (int i = 0; i < 20; i++) {
            cluster.update(AckLevel.ISR, "more " + i);
            cluster.loop.run(SECOND);
        }
        assertThat(cluster.actor(0).isr()).doesNotContain(full);
        cluster.server(full).disk.full(false);
        cluster.converge(0, 2);
        assertThat(rows(cluster)).hasSize(22);
    }

    @Test
    void belowMinIsrUpdatesAreRefusedAndReadsGoOn() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 2, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        Host full = cluster.server(follower(cluster));
        full.disk.full(true);
        cluster.send(cluster.nextId(), AckLevel.ISR, "b");
        cluster.await(() -> cluster.actor(0).isr().size() == 1, 20);
        cluster.loop.run(SECOND / 2);
        assertThat(cluster.primary(0).serving(cluster.key(0))).isTrue();
        assertThat(cluster.failure(cluster.send(cluster.nextId(), AckLevel.ISR, "c"))
                        .code())
                .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        full.disk.full(false);
        cluster.converge(0, 2);
        cluster.update(AckLevel.ISR, "d");
    }

    @Test
    void aPrimaryWithAFullDiskRefusesUpdatesAndServesReaders() {
        Cluster cluster = cluster(2, 2, "a");
        Host primary = cluster.primary(0);
        primary.disk.full(true);
        for (int i = 0; i < 10; i++) {
            assertThat(cluster.failure(cluster.send(cluster.nextId(), AckLevel.ISR, "b"))
                            .code())
                    .isEqualTo(ErrorCode.DISK_FULL);
            cluster.loop.run(SECOND);
            assertThat(primary.serving(cluster.key(0))).isTrue();
        }
        primary.disk.full(false);
        cluster.update(AckLevel.ISR, "c");
        cluster.converge(0, 2);
        assertThat(rows(cluster)).hasSize(2);
    }

    @Test
    void aNewPrimaryWithAFullDiskGivesWay() {
        Cluster cluster = cluster(3, 3, "a");
        ServerId old = cluster.actor(0).primary();
        List<ServerId> others =
                cluster.actor(0).isr().stream().filter(id -> !id.equals(old)).toList();
        cluster.server(others.get(0)).disk.full(true);
        cluster.server(old).kill();
        cluster.await(() -> cluster.actor(0).primary().equals(others.get(1)), 30);
        cluster.update(AckLevel.ISR, "b");
    }

    @Test
    void anEmptiedReplicaIsNotInSyncAndComesBackAsALearner() {
        Cluster cluster = cluster(2, 2, "a", "b");
        Host host = cluster.server(follower(cluster));
        host.kill();
        host.disk.wipe("");
        host.start();
        cluster.await(() -> cluster.actor(0).isr().size() == 1, 20);
        assertThat(host.serving(cluster.key(0))).isFalse();
        cluster.converge(0, 2);
        assertThat(host.engine().rows(cluster.key(0))).hasSize(2);
    }

    @Test
    void aLearnerThatIsEmptiedAfterItHadCaughtUpBeginsAnew() {
        Cluster cluster = cluster(2, 2, "a");
        ServerId learner = follower(cluster);
        Host host = cluster.server(learner);
        host.kill();
        cluster.update(AckLevel.ISR, "b");
        host.start();
        cluster.await(() -> cluster.actor(0).learners().contains(learner), 30);
        long epoch = cluster.actor(0).epoch();
        cluster.loop.run(SECOND / 4);
        host.kill();
        host.disk.wipe("");
        host.start();
        cluster.converge(0, 2);
        assertThat(cluster.actor(0).epoch()).isGreaterThan(epoch);
        assertThat(host.engine().rows(cluster.key(0))).hasSize(2);
    }

    @Test
    void anEmptiedReplicaThatIsBackFirstIsNotPromoted() {
        Cluster cluster = cluster(2, 2, "a", "b");
        List<ServerId> isr = cluster.actor(0).isr();
        for (ServerId emptied : isr) {
            ServerId whole =
                    isr.stream().filter(id -> !id.equals(emptied)).findFirst().orElseThrow();
            cluster.server(emptied).kill();
            cluster.server(whole).kill();
            cluster.server(emptied).disk.wipe("");
            cluster.loop.run(SECOND);
            cluster.server(emptied).start();
            cluster.loop.run(40 * SECOND);
            assertThat(cluster.server(emptied).serving(cluster.key(0))).isFalse();
            assertThat(cluster.actor(0).isr()).contains(whole);
            cluster.server(whole).start();
            cluster.converge(0, 2);
            assertThat(rows(cluster)).hasSize(2);
        }
    }

    @Test
    void aDamagedReplicaThatIsBackFirstIsNotPromoted() {
        Cluster cluster = cluster(2, 2, "a", "b");
        List<ServerId> isr = cluster.actor(0).isr();
        Host damaged = cluster.server(isr.get(1));
        cluster.server(isr.get(0)).kill();
        damaged.kill();
        damaged.disk.flip(damaged.disk.files(cluster.key(0) + "/log/").get(0), 30);
        damaged.start();
        cluster.loop.run(40 * SECOND);
        cluster.server(isr.get(0)).start();
        cluster.converge(0, 2);
        assertThat(rows(cluster)).hasSize(2);
    }

    @Test
    void theOnlyCopyEmptiedIsToldAsLostAndNotStartedEmpty() {
        Cluster cluster = cluster(2, 1, "a");
        Host host = cluster.primary(0);
        host.kill();
        host.disk.wipe("");
        host.start();
        cluster.loop.run(60 * SECOND);
        assertThat(host.serving(cluster.key(0))).isFalse();
        assertThat(cluster.failure(cluster.send(cluster.nextId(), AckLevel.ISR, "b"))
                        .code())
                .isEqualTo(ErrorCode.NOT_PRIMARY);
    }

    @Test
    void theOnlyCopyEmptiedIsTakenOverFromACompleteBackup() {
        Cluster cluster = cluster(2, 1);
        for (int round = 0; round < 3; round++) {
            cluster.update(AckLevel.ISR, "row " + round);
            cluster.await(() -> cluster.clean(0), 20);
            Host host = cluster.primary(0);
            host.kill();
            host.disk.wipe("");
            host.start();
            cluster.await(() -> cluster.primary(0) != host && cluster.actor(0).epochStarted(), 40);
            cluster.converge(0, 1);
            assertThat(rows(cluster)).hasSize(round + 1);
        }
    }

    @Test
    void aTableWhoseServersWereNeverUpTogetherBegins() {
        Cluster cluster = cluster(2, 2);
        assertThat(cluster.actor(0).epochStarted()).isTrue();
    }

    @Test
    void aFullDiskIsNoReasonToGiveUpTheOnlyCopy() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 1, 1, OnLoss.RESTORE_ACTOR);
        cluster.update(AckLevel.ISR, "a");
        Host host = cluster.primary(0);
        host.disk.full(true);
        host.kill();
        host.start();
        cluster.send(cluster.nextId(), AckLevel.ISR, "b");
        cluster.loop.run(60 * SECOND);
        host.disk.full(false);
        cluster.update(AckLevel.ISR, "c");
        assertThat(rows(cluster)).hasSize(2);
    }

    @Test
    void aLogThatLostItsSyncedEndIsNotInSync() {
        Cluster cluster = cluster(2, 2, "a", "b");
        cluster.loop.run(5 * SECOND);
        Host host = cluster.server(follower(cluster));
        host.kill();
        String segment = host.disk.files(cluster.key(0) + "/log/").get(0);
        byte[] bytes = host.disk.bytes(segment);
        host.disk.put(segment, java.util.Arrays.copyOf(bytes, bytes.length - 10));
        host.start();
        cluster.await(() -> cluster.actor(0).isr().size() == 1, 20);
        cluster.converge(0, 2);
        assertThat(host.disk.files("quarantine/")).isNotEmpty();
    }

    @Test
    void filesThatCannotBeReadAreReplaced() {
        Cluster cluster = cluster(2, 2, "a");
        Host host = cluster.server(follower(cluster));
        host.kill();
        host.disk.failReads(cluster.key(0) + "/log/");
        host.start();
        cluster.update(AckLevel.ISR, "b");
        cluster.converge(0, 2);
        assertThat(host.engine().rows(cluster.key(0))).hasSize(2);
    }

    @Test
    void aFollowerWhoseDiskHangsLeavesTheSet() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        ServerId hanging = follower(cluster);
        cluster.server(hanging).disk.hang(true);
        cluster.send(cluster.nextId(), AckLevel.ISR, "b");
        cluster.await(() -> !cluster.actor(0).isr().contains(hanging), 20);
        cluster.update(AckLevel.ISR, "c");
        cluster.server(hanging).disk.hang(false);
        cluster.converge(0, 2);
        assertThat(rows(cluster)).hasSize(3);
    }

    @Test
    void aPrimaryWhoseDiskHangsGivesWay() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        ServerId hanging = cluster.actor(0).primary();
        cluster.server(hanging).disk.hang(true);
        cluster.send(cluster.nextId(), AckLevel.ISR, "never");
        cluster.await(() -> !cluster.actor(0).isr().contains(hanging), 20);
        cluster.update(AckLevel.ISR, "b");
        cluster.server(hanging).disk.hang(false);
        cluster.converge(0, 2);
        assertThat(rows(cluster)).hasSize(2);
    }

    /** The hung disk was not detected when the primary died, and the replica cannot write the new epoch. */
    @Test
    void aMemberThatCannotBeginTheEpochSinceItsDiskHangsLeavesTheSet() {
        for (int which = 0; which < 2; which++) {
            Cluster cluster = new Cluster(3);
            cluster.create(1, 3, 1, OnLoss.WAIT);
            cluster.update(AckLevel.ISR, "a");
            ServerId old = cluster.actor(0).primary();
            ServerId hanging = cluster.actor(0).isr().stream()
                    .filter(id -> !id.equals(old))
                    .sorted()
                    .skip(which)
                    .findFirst()
                    .orElseThrow();
            cluster.loop.run(5 * Cluster.SECOND);
            cluster.server(hanging).disk.hang(true);
            cluster.server(hanging).disk.hangReplacing(true);
            cluster.server(old).kill();
            cluster.await(() -> !cluster.actor(0).isr().contains(hanging), 60);
            cluster.update(AckLevel.ISR, "b");
            cluster.server(hanging).disk.hang(false);
            cluster.server(hanging).disk.hangReplacing(false);
            cluster.server(old).start();
            cluster.converge(0, 3);
            assertThat(rows(cluster)).hasSize(2);
        }
    }
}
