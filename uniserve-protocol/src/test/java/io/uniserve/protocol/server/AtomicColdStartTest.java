package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.backup.format.ArchivePaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Atomic tables of which only durable storage is left. They are restored to one version, the newest that is complete. */
class AtomicColdStartTest {
    private static final BackupName B = new BackupName("b");
    private static final long SECOND = Cluster.SECOND;
    private static final int ACTORS = 3;

    private final Cluster lost = new Cluster(3, 10);
    private final AtomicCluster atomic = new AtomicCluster(lost, ACTORS, 2, ConsistencyLevel.FULLY_SERIALIZABLE);
    private final TreeMap<Long, Map<Integer, String>> committed = new TreeMap<>();

    private static Outcome<AdminReply> ask(Cluster cluster, AdminRequest request) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(request, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 120);
        return outcome.get(0);
    }

    private static void done(Cluster cluster, AdminRequest request) {
        Outcome<AdminReply> outcome = ask(cluster, request);
        assertThat(outcome).as("%s", outcome).isInstanceOf(Outcome.Ok.class);
    }

    private void update(int... actors) {
        Map<Integer, String> rows = AtomicCluster.rows("r" + committed.size(), actors);
        committed.put(atomic.update(atomic.primary(actors[0]), rows), rows);
    }

    private void updateSome(Random random) {
        switch (random.nextInt(5)) {
            case 0 -> update(0, 1, 2);
            case 1 -> update(0, 1);
            case 2 -> update(1, 2);
            case 3 -> update(2);
            default -> update(0);
        }
    }

    /** Starts a new cluster on the current storage. Returns the version of the restored table. */
    private long restored() {
        Cluster cluster = new Cluster(3, 10);
        cluster.objects.adopt(lost.objects);
        done(cluster, new AdminRequest.SalvageTable(lost.map().tableId(), B));
        return restored(cluster);
    }

    private long restored(Cluster cluster) {
        done(cluster, new AdminRequest.VerifyBackup(B));
        done(cluster, new AdminRequest.RestoreTable(B, Cluster.T));
        TransactionLogState log =
                (TransactionLogState) Objects.requireNonNull(cluster.store.value(cluster.logPath(Cluster.T)));
        for (int actor = 0; actor < ACTORS; actor++) {
            int which = actor;
            List<String> due = committed.headMap(log.committedVersion(), true).entrySet().stream()
                    .filter(entry -> entry.getValue().containsKey(which))
                    .map(entry -> entry.getKey() + "=" + entry.getValue().get(which))
                    .toList();
            assertThat(rows(cluster, actor))
                    .as("actor %s at version %s", actor, log.committedVersion())
                    .isEqualTo(due);
        }
        long began = cluster.loop.nanos();
        TableMap map = cluster.map();
        List<Outcome<UpdateReply>> after = atomic.send(
                Cluster.T,
                map.tableId(),
                cluster.primary(0),
                cluster.nextId(),
                1,
                AtomicCluster.rows("after", 0, 1, 2));
        cluster.await(() -> !after.isEmpty(), 60);
        assertThat(after.get(0)).isInstanceOf(Outcome.Ok.class);
        assertThat(cluster.loop.nanos() - began)
                .as("no version is given out that an actor takes to be decided")
                .isLessThan(5 * SECOND);
        return log.committedVersion();
    }

    private static List<String> rows(Cluster cluster, int actor) {
        ReplicaKey key = cluster.key(actor);
        cluster.await(() -> cluster.primary(actor).serving(key), 20);
        return List.copyOf(cluster.primary(actor).engine().rows(key));
    }

    @Test
    void everythingIsBackThatWasShipped() {
        for (int i = 0; i < 40; i++) {
            update(0, 1, 2);
        }
        update(1);
        lost.loop.run(10 * SECOND);
        assertThat(restored()).isEqualTo(committed.lastKey());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void itIsOfOneVersionWheneverTheClusterIsLost(long seed) {
        Random random = new Random(seed);
        for (int moment = 0; moment < 4; moment++) {
            for (int i = random.nextInt(40); i >= 0; i--) {
                updateSome(random);
                lost.loop.run(random.nextInt(300) * 1_000_000L);
            }
            long version = restored();
            assertThat(version).isLessThanOrEqualTo(committed.lastKey());
        }
        lost.loop.run(10 * SECOND);
        assertThat(restored()).isEqualTo(committed.lastKey());
    }

    /** Aborts enough versions that they get into checkpoints. */
    private void abortSome() {
        for (int i = 0; i < 25; i++) {
            Map<Integer, String> bad = AtomicCluster.rows("bad", 0, 1, 2);
            assertThat(atomic.error(atomic.send(atomic.primary(0), lost.nextId(), 1, bad)))
                    .isEqualTo(ErrorCode.UPDATE_REFUSED);
        }
        lost.loop.run(10 * SECOND);
    }

    @Test
    void versionsAbortedAfterTheNewestAreNotGivenOutAgain() {
        update(0, 1, 2);
        abortSome();
        assertThat(restored()).isEqualTo(committed.lastKey());
    }

    @Test
    void norByATableMadeFromABackup() {
        update(0, 1, 2);
        abortSome();
        done(lost, new AdminRequest.BackupTable(Cluster.T, B));
        Cluster cluster = new Cluster(3, 10);
        cluster.objects.adopt(lost.objects);
        assertThat(restored(cluster)).isEqualTo(committed.lastKey());
    }

    /** Without the registry it is unknown whether the actor had shipped anything, so nothing is restored and nothing remains. */
    @Test
    void anActorWhoseObjectsAreGoneIsNotTakenForEmpty() {
        for (int i = 0; i < 40; i++) {
            update(0, 1, 2);
        }
        lost.loop.run(10 * SECOND);
        Cluster cluster = new Cluster(3, 10);
        cluster.objects.adopt(lost.objects);
        long table = lost.map().tableId();
        cluster.objects.keys("backup/test/" + table + "/2/").forEach(cluster.objects::remove);
        Outcome<AdminReply> told = ask(cluster, new AdminRequest.SalvageTable(table, B));
        assertThat(told).isInstanceOf(Outcome.Err.class);
        assertThat(((Outcome.Err<AdminReply>) told).error())
                .hasMessageContaining("CORRUPT")
                .hasMessageContaining("nothing of t" + table + "-a2");
        assertThat(cluster.objects.keys("archive/"))
                .as("what it started")
                .singleElement()
                .matches(ArchivePaths::isDeletedMark);
    }

    @Test
    void anActorThatIsAwayHoldsTheCheckpointsOfTheOthersBack() {
        update(0, 1, 2);
        lost.loop.run(10 * SECOND);
        lost.objects.down(true); // so that the next one of actor 2 is not shipped
        update(0, 1, 2);
        long whole = committed.headMap(committed.lastKey()).lastKey();
        lost.actor(2).isr().forEach(id -> lost.server(id).kill());
        lost.objects.down(false);
        lost.await(
                () -> lost.map().actors().subList(0, 2).stream()
                        .allMatch(actor -> lost.server(actor.primary()).up()),
                60);
        for (int i = 0; i < 60; i++) {
            update(0);
        }
        lost.loop.run(20 * SECOND);
        assertThat(restored()).isEqualTo(whole);
    }
}
