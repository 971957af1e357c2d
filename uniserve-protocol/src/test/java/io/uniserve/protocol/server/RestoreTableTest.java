package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.BackupInfo;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A table with onLoss RESTORE_TABLE that loses an actor is restored to one version, the newest that all actors have shipped. */
class RestoreTableTest {
    private static final long SECOND = Cluster.SECOND;
    private static final int ACTORS = 3;

    private final Cluster cluster = new Cluster(5, 10);
    private final AtomicCluster atomic =
            new AtomicCluster(cluster, ACTORS, 2, ConsistencyLevel.FULLY_SERIALIZABLE, OnLoss.RESTORE_TABLE);
    private final TreeMap<Long, Map<Integer, String>> committed = new TreeMap<>();
    private final long number = cluster.map().tableId();
    private long whole;

    private void update(int... actors) {
        Map<Integer, String> rows = AtomicCluster.rows("r" + committed.size(), actors);
        committed.put(atomic.update(atomic.primary(actors[0]), rows), rows);
    }

    /** All but the last updates are shipped when actor 2 is lost. The other actors continue. */
    private List<ServerId> lose() {
        for (int i = 0; i < 25; i++) {
            update(0, 1, 2);
        }
        cluster.loop.run(5 * SECOND);
        whole = committed.lastKey();
        cluster.objects.down(true);
        update(0, 1, 2);
        List<ServerId> isr = cluster.actor(2).isr();
        isr.forEach(id -> cluster.server(id).kill());
        cluster.objects.down(false);
        return isr;
    }

    private boolean replaced() {
        return cluster.map().tableId() > number;
    }

    private void awaitWhole() {
        cluster.await(this::replaced, 120);
        for (int actor = 0; actor < ACTORS; actor++) {
            int which = actor;
            cluster.await(() -> cluster.primary(which).serving(cluster.key(which)), 60);
            List<String> due = committed.headMap(whole, true).entrySet().stream()
                    .filter(entry -> entry.getValue().containsKey(which))
                    .map(entry -> entry.getKey() + "=" + entry.getValue().get(which))
                    .toList();
            cluster.await(
                    () -> cluster.primary(which)
                            .engine()
                            .rows(cluster.key(which))
                            .equals(due),
                    20);
        }
        assertThat(atomic.log().committedVersion()).isEqualTo(whole);
        assertThat(cluster.store.value(RegistryPaths.log(Cluster.T, number))).isNull();
        assertThat(cluster.store.value(RegistryPaths.outcomes(Cluster.T, number)))
                .isNull();
        assertThat(cluster.store.children(RegistryPaths.backups(Cluster.T)))
                .hasSize(ACTORS)
                .allMatch(name -> name.startsWith(cluster.map().tableId() + "-"));
    }

    @Test
    void allActorsAreBackAtOneVersionAndVersionsGoOn() {
        List<ServerId> gone = lose();
        for (int i = 0; i < 40; i++) {
            int actor = gone.contains(cluster.actor(0).primary()) ? 1 : 0;
            if (!gone.containsAll(cluster.actor(actor).isr())) {
                update(actor);
            }
        }
        awaitWhole();
        assertThat(atomic.log().nextVersion())
                .as("no version stands for two states")
                .isGreaterThan(committed.lastKey());
        long after = atomic.update(atomic.primary(0), AtomicCluster.rows("after", 0, 1, 2));
        assertThat(after).isGreaterThan(committed.lastKey());
        assertThat(atomic.readAlike(0, 1, 2)).endsWith(after + "=after");
    }

    @Test
    void anActorKeepsItsWishForCopies() {
        List<Outcome<AdminReply>> noted = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.ReplicateActor(Cluster.T, 1, 3), noted::add);
        cluster.await(() -> cluster.actor(1).isr().size() == 3, 60);
        assertThat(noted).containsExactly(Outcome.ok(new AdminReply.Ack()));
        lose();
        awaitWhole();
        assertThat(cluster.actor(1).copies()).isEqualTo(3);
        cluster.await(() -> cluster.actor(1).isr().size() == 3, 120);
        assertThat(cluster.actor(0).copies()).isZero();
    }

    @Test
    void aClientThatWasToldOfMoreHearsOnceThatTheTableIsRestored() {
        AtomicReader reader = atomic.reader();
        lose();
        cluster.servers.values().stream().filter(host -> !host.up()).forEach(Host::start);
        cluster.await(() -> cluster.primary(2).serving(cluster.key(2)), 60);
        assertThat(reader.read(0, 1, 2).version()).isEqualTo(committed.lastKey());
        cluster.loop.run(5 * SECOND); // it is shipped
        cluster.objects.down(true);
        update(0, 1, 2);
        assertThat(reader.read(0, 1, 2).version()).isEqualTo(committed.lastKey());
        whole = committed.headMap(committed.lastKey()).lastKey();
        cluster.actor(2).isr().forEach(id -> cluster.server(id).kill());
        cluster.objects.down(false);
        awaitWhole();
        Outcome<?> told = reader.ask(20, 0, 1, 2);
        assertThat(told).isInstanceOf(Outcome.Err.class);
        assertThat(((Outcome.Err<?>) told).error())
                .hasMessageContaining("TABLE_RESTORED")
                .hasMessageContaining("version " + committed.lastKey());
        assertThat(reader.read(0, 1, 2).version()).isEqualTo(whole);
        assertThat(atomic.reader().read(0, 1, 2).version()).as("a new client").isEqualTo(whole);
    }

    @Test
    void aStrictReadThatIsUnderWayHearsOfItToo() {
        AtomicReader reader = atomic.reader();
        update(0, 1, 2);
        assertThat(reader.read(0, 1, 2).version()).isEqualTo(committed.lastKey());
        lose();
        Outcome<?> told = reader.strict(200, Cluster.T);
        assertThat(replaced()).isTrue();
        assertThat(told).isInstanceOf(Outcome.Err.class);
        assertThat(((Outcome.Err<?>) told).error()).hasMessageContaining("TABLE_RESTORED");
        awaitWhole();
        assertThat(reader.read(0, 1, 2).version()).isEqualTo(whole);
    }

    @Test
    void itIsRestoredAgainWhenItIsLostAgain() {
        lose();
        awaitWhole();
        committed.tailMap(whole, false).clear();
        cluster.servers.values().stream().filter(host -> !host.up()).forEach(Host::start);
        for (int i = 0; i < 25; i++) {
            update(0, 1, 2);
        }
        cluster.loop.run(10 * SECOND);
        whole = committed.lastKey();
        long before = cluster.map().tableId();
        cluster.objects.down(true);
        update(0, 1, 2);
        cluster.actor(1).isr().forEach(id -> cluster.server(id).kill());
        cluster.objects.down(false);
        cluster.await(() -> cluster.map().tableId() > before, 120);
        awaitWhole();
    }

    @Test
    void nothingIsGivenUpWhileAReplicaComesBack() {
        List<ServerId> gone = lose();
        cluster.loop.run(10 * SECOND);
        cluster.server(gone.get(0)).start();
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.map().tableId()).isEqualTo(number);
        assertThat(atomic.readAlike(0, 1, 2)).endsWith(committed.lastKey() + "=r25");
    }

    @Test
    void withoutStorageItWaitsAndIsRestoredWhenStorageIsBack() {
        lose();
        cluster.objects.down(true);
        cluster.loop.run(120 * SECOND);
        assertThat(cluster.map().tableId()).isEqualTo(number);
        cluster.objects.down(false);
        cluster.await(this::replaced, 400);
        awaitWhole();
    }

    /** The lost answer is that of the new table number. The coordinator reads the registry before it retries. */
    @Test
    void theAnswerToAWriteMayBeLost() {
        lose();
        cluster.coordinatorRegistry.onlyWrites(
                ops -> ops.stream().anyMatch(op -> op.path().equals(RegistryPaths.CLUSTER)));
        cluster.coordinatorRegistry.loseNextAnswer();
        awaitWhole();
    }

    @Test
    void theCoordinatorMayDieAtEachStep() {
        for (int step = 1; ; step++) {
            RestoreTableTest one = new RestoreTableTest();
            one.lose();
            int due = step;
            one.cluster.await(
                    () -> one.replaced()
                            || !one.cluster.objects.keys("archive/").isEmpty(),
                    60);
            if (one.replaced()) {
                break; // no object shows a started restoration any more
            }
            one.cluster.loop.run(due * 3_000_000L);
            boolean over = one.replaced();
            one.cluster.coordinatorRegistry.expire();
            one.awaitWhole();
            one.cluster.loop.run(60 * SECOND);
            one.leavesNothing();
            if (over) {
                break;
            }
            assertThat(step).as("steps").isLessThan(1_000);
        }
    }

    private String objectsOf(int actor) {
        return "backup/test/" + number + "/" + actor + "/";
    }

    private BackupRecord record() {
        return (BackupRecord)
                Objects.requireNonNull(cluster.store.value(RegistryPaths.backup(Cluster.T, cluster.key(2))));
    }

    private void loseActor2() {
        cluster.actor(2).isr().forEach(id -> cluster.server(id).kill());
    }

    /** Commits of the other actors alone are kept. From the first version of the lost actor on, all are lost. */
    @Test
    void anActorThatHadShippedNothingComesBackEmpty() {
        cluster.objects.refuse(objectsOf(2));
        update(0, 1);
        whole = committed.lastKey();
        update(0, 1, 2);
        update(0);
        cluster.loop.run(15 * SECOND);
        assertThat(cluster.objects.keys(objectsOf(2))).isEmpty();
        assertThat(record().shippedIndex()).isZero();
        loseActor2();
        cluster.objects.refuse("");
        awaitWhole();
        long after = atomic.update(atomic.primary(2), AtomicCluster.rows("after", 0, 1, 2));
        assertThat(after).isGreaterThan(committed.lastKey());
        atomic.awaitRows(2, after + "=after");
        atomic.awaitRows(1, whole + "=r0", after + "=after");
    }

    /** Its server died before it wrote the first backup record. */
    @Test
    void anActorWithoutABackupRecordComesBackEmpty() {
        String path = RegistryPaths.backup(Cluster.T, cluster.key(2));
        cluster.servers
                .values()
                .forEach(host -> host.registry()
                        .hold(ops -> ops.stream().anyMatch(op -> op.path().equals(path))));
        cluster.objects.refuse(objectsOf(2));
        assertThat(cluster.store.value(path)).isNull();
        update(0, 1);
        whole = committed.lastKey();
        update(0, 1, 2);
        cluster.loop.run(5 * SECOND);
        assertThat(cluster.store.value(path)).isNull();
        loseActor2();
        cluster.objects.refuse("");
        cluster.servers.values().stream()
                .filter(Host::up)
                .forEach(host -> host.registry().release());
        awaitWhole();
        long after = atomic.update(atomic.primary(2), AtomicCluster.rows("after", 0, 1, 2));
        atomic.awaitRows(2, after + "=after");
    }

    /** It had shipped, as its record shows. An operator must find out what happened to its objects; nothing is dropped. */
    @Test
    void anActorWhoseObjectsAreGoneIsNotTakenForEmpty() {
        update(0, 1, 2);
        update(0, 1, 2);
        cluster.await(() -> cluster.objects.keys(objectsOf(2)).stream().anyMatch(key -> key.contains("/log/")), 10);
        cluster.loop.run(SECOND / 2);
        assertThat(record().shippedIndex()).as("said at once").isPositive();
        assertThat(cluster.objects.keys("backup/test/" + number + "/")).noneMatch(key -> key.contains("/checkpoint/"));
        loseActor2();
        cluster.objects.keys(objectsOf(2)).forEach(cluster.objects::remove);
        cluster.loop.run(120 * SECOND);
        assertThat(cluster.map().tableId()).isEqualTo(number);
    }

    /** An actor that is alive but could not ship yet makes the restoration wait. */
    @Test
    void anActorThatIsNotLostIsNotTakenForEmpty() {
        cluster.objects.refuse("backup/test/" + number + "/");
        update(1);
        update(0, 1);
        whole = committed.lastKey();
        cluster.loop.run(15 * SECOND);
        loseActor2();
        cluster.await(() -> cluster.servers.values().stream().filter(Host::up).count() == 3, 5);
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.map().tableId()).isEqualTo(number);
        cluster.objects.refuse("");
        cluster.await(this::replaced, 400);
        awaitWhole();
    }

    /** Objects of other numbers are only those of the backup, and are deleted with it. */
    private void leavesNothing() {
        long now = cluster.map().tableId();
        List<String> foreign = cluster.objects.keys("backup/test/").stream()
                .filter(key ->
                        !key.startsWith("backup/test/" + now + "/") && !key.startsWith("backup/test/" + number + "/"))
                .toList();
        assertThat(foreign).as("left by what was broken off").isEmpty();
    }

    /** A server without the new map may answer for the old table until its lease of 2 s ends, for any actor. */
    @Test
    void nothingIsReadWhileSomebodyMayStillAnswerForWhatTheTableWas() {
        lose();
        cluster.await(this::replaced, 120);
        for (int i = 0; i < 20; i++) {
            for (int actor = 0; actor < ACTORS; actor++) {
                assertThat(cluster.primary(actor).serving(cluster.key(actor))).isFalse();
            }
            cluster.loop.run(SECOND / 10);
        }
        awaitWhole();
    }

    @Test
    void whatThereWasIsKeptAsABackup() {
        lose();
        awaitWhole();
        List<Outcome<AdminReply>> listed = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.ListBackups(), listed::add);
        cluster.await(() -> !listed.isEmpty(), 20);
        assertThat(((AdminReply.Backups) ((Outcome.Ok<AdminReply>) listed.get(0)).value()).backups())
                .singleElement()
                .satisfies(info -> {
                    assertThat(info.name()).isEqualTo("lost-t-" + number);
                    assertThat(info.state()).isEqualTo(BackupInfo.State.COMPLETE);
                });
    }
}
