package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables of durability REMOTE: every acknowledged update is in durable storage at that moment. */
class RemoteDurabilityTest {
    private static final long SECOND = Cluster.SECOND;
    private static final BackupName B = new BackupName("b");

    private static Cluster cluster(int servers, int actors, int rf, ConsistencyLevel level) {
        Cluster cluster = new Cluster(servers, 10);
        cluster.durability = Durability.REMOTE;
        cluster.create(actors, rf, 1, OnLoss.WAIT, level);
        cluster.await(
                () -> cluster.map().actors().stream()
                        .allMatch(actor -> actor.isr().size() == rf),
                30);
        return cluster;
    }

    /** Kills every server with the actor; their disks are lost. */
    private static List<ServerId> destroy(Cluster cluster, int actor) {
        List<ServerId> isr = cluster.actor(actor).isr();
        isr.forEach(id -> cluster.server(id).kill());
        return isr;
    }

    @ParameterizedTest
    @EnumSource(AckLevel.class)
    void nothingIsAcknowledgedThatStorageDoesNotHave(AckLevel level) {
        Cluster cluster = cluster(2, 1, 2, ConsistencyLevel.EVENTUAL);
        cluster.update(level, "a");
        cluster.objects.down(true);
        List<Outcome<UpdateReply>> waits = cluster.send(cluster.nextId(), level, "b");
        cluster.loop.run(SECOND);
        assertThat(waits).isEmpty();
        assertThat(cluster.failure(cluster.send(cluster.nextId(), level, "c")))
                .satisfies(failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .satisfies(failure -> assertThat(failure.message()).contains("durability is REMOTE", "down"));
        cluster.objects.down(false);
        cluster.ack(waits);
        assertThat(cluster.update(level, "d")).isGreaterThan(0);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(3);
    }

    @Test
    void whatWasAcknowledgedIsThereThoughAllWhoHadItAreGoneAtOnce() {
        for (int moment = 0; moment < 12; moment++) {
            Cluster cluster = cluster(4, 1, 2, ConsistencyLevel.EVENTUAL);
            List<String> acked = new ArrayList<>();
            for (int i = 0; i <= moment; i++) {
                cluster.update(i % 2 == 0 ? AckLevel.ISR : AckLevel.PRIMARY, "r" + i);
                acked.add("r" + i);
            }
            List<ServerId> gone = destroy(cluster, 0);
            cluster.await(() -> !gone.contains(cluster.actor(0).primary()), 90);
            cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 30);
            assertThat(cluster.primary(0).engine().rows(cluster.key(0)).stream()
                            .map(row -> row.substring(row.indexOf('=') + 1)))
                    .containsAll(acked);
            cluster.update(AckLevel.ISR, "after");
        }
    }

    @Test
    void aDeposedPrimaryThatStillReachesStorageAcknowledgesNothing() {
        Cluster cluster = cluster(2, 1, 1, ConsistencyLevel.EVENTUAL);
        cluster.update(AckLevel.ISR, "a");
        Host old = cluster.primary(0);
        ServerId oldId = cluster.actor(0).primary();
        long epoch = cluster.actor(0).epoch();
        old.registry().cut(true);
        old.registry().expireUnnoticed();
        cluster.network.stop(old.address());
        List<Outcome<UpdateReply>> late = new ArrayList<>();
        for (int i = 0; i < 400 && cluster.actor(0).primary().equals(oldId); i++) {
            late.addAll(cluster.send(old, epoch, cluster.nextId(), AckLevel.PRIMARY, "late" + i));
            cluster.loop.run(SECOND / 4);
        }
        assertThat(cluster.actor(0).primary()).isNotEqualTo(oldId);
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 30);
        late.addAll(cluster.send(old, epoch, cluster.nextId(), AckLevel.ISR, "last"));
        cluster.loop.run(10 * SECOND);
        assertThat(late)
                .noneMatch(outcome -> outcome instanceof Outcome.Ok<UpdateReply> ok
                        && !ok.value().acks().isEmpty());
    }

    @Test
    void anAtomicUpdateOutlivesAllReplicasOfAnActor() {
        for (int updates = 1; updates < 30; updates += 4) {
            Cluster cluster = new Cluster(5, 10);
            cluster.durability = Durability.REMOTE;
            AtomicCluster atomic = new AtomicCluster(cluster, 3, 2, ConsistencyLevel.FULLY_SERIALIZABLE);
            long newest = 0;
            for (int i = 0; i < updates; i++) {
                newest = atomic.update(atomic.primary(i % 3), AtomicCluster.rows("r" + i, 0, 1, 2));
            }
            String last = newest + "=r" + (updates - 1);
            List<ServerId> gone = destroy(cluster, 2);
            cluster.await(() -> !gone.contains(cluster.actor(2).primary()), 90);
            for (int actor = 0; actor < 3; actor++) {
                int which = actor;
                cluster.await(() -> cluster.primary(which).serving(cluster.key(which)), 60);
            }
            assertThat(atomic.readAlike(0, 1, 2).split(",")).hasSize(updates).endsWith(last);
            atomic.update(atomic.primary(0), AtomicCluster.rows("after", 0, 1, 2));
        }
    }

    /** A new cluster on the storage of this very moment has every acknowledged update, without exception. */
    @ParameterizedTest
    @EnumSource(ConsistencyLevel.class)
    void storageAloneHasWhatWasAcknowledged(ConsistencyLevel level) {
        Random random = new Random(7);
        Cluster cluster = new Cluster(3, 10);
        cluster.durability = Durability.REMOTE;
        AtomicCluster atomic = level == ConsistencyLevel.EVENTUAL ? null : new AtomicCluster(cluster, 2, 2, level);
        if (atomic == null) {
            cluster.create(2, 2, 1, OnLoss.WAIT);
        }
        List<String> acked = new ArrayList<>();
        for (int moment = 0; moment < 6; moment++) {
            for (int i = random.nextInt(15); i >= 0; i--) {
                String row = "r" + acked.size();
                if (atomic == null) {
                    cluster.update(AckLevel.ISR, row);
                } else {
                    atomic.update(atomic.primary(i % 2), AtomicCluster.rows(row, 0, 1));
                }
                acked.add(row);
            }
            assertThat(restored(cluster)).containsAll(acked);
        }
    }

    private static Stream<String> restored(Cluster lost) {
        Cluster cluster = new Cluster(3, 10);
        cluster.objects.adopt(lost.objects);
        for (AdminRequest request : List.of(
                new AdminRequest.SalvageTable(lost.map().tableId(), B), new AdminRequest.RestoreTable(B, Cluster.T))) {
            List<Outcome<AdminReply>> outcome = new ArrayList<>();
            cluster.coordinator.onAdmin(request, outcome::add);
            cluster.await(() -> !outcome.isEmpty(), 120);
            assertThat(outcome.get(0)).as("%s", outcome.get(0)).isInstanceOf(Outcome.Ok.class);
        }
        cluster.await(() -> cluster.primary(0).serving(cluster.key(0)), 20);
        return cluster.primary(0).engine().rows(cluster.key(0)).stream()
                .map(row -> row.substring(row.indexOf('=') + 1));
    }
}
