package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Named backups, cold starts and RESTORE_TABLE of atomic TIME tables: the live chunks are back at one version. */
class AtomicChunksRestoreTest {
    private static final long HOUR = 3_600_000;
    private static final long SECOND = Cluster.SECOND;
    private static final int BUCKETS = 2;
    private static final BackupName B = new BackupName("b");
    private static final TableName COPY = new TableName("copy");
    private static final Partitioner.Time HOURS = new Partitioner.Time(
            "ts",
            new ChunkCalendar(IsoPeriod.parse("chunk", "PT1H"), ZoneOffset.UTC),
            BUCKETS,
            Optional.of(IsoPeriod.parse("retention", "PT3H")),
            IsoPeriod.parse("ahead", "PT1H"));

    private final TreeMap<Long, Map<Integer, String>> committed = new TreeMap<>();
    private Cluster cluster = new Cluster(4, 10);
    private AtomicCluster atomic = table(OnLoss.WAIT);

    private AtomicCluster table(OnLoss onLoss) {
        return AtomicCluster.ofChunks(cluster, HOURS, 2, ConsistencyLevel.FULLY_SERIALIZABLE, onLoss);
    }

    private int chunk() {
        return HOURS.chunks().ordinalOf(cluster.loop.wallMillis());
    }

    private AdminReply done(AdminRequest request) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(request, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 120);
        assertThat(outcome.get(0)).as("%s", outcome.get(0)).isInstanceOf(Outcome.Ok.class);
        return outcome.get(0).value();
    }

    private void make(Integer... chunks) {
        done(new AdminRequest.CreateChunks(Cluster.T, cluster.map().tableId(), List.of(chunks)));
        cluster.await(() -> cluster.map().actors().stream().allMatch(ActorState::epochStarted), 60);
    }

    private void update(int... actors) {
        Map<Integer, String> rows = AtomicCluster.rows("r" + committed.size(), actors);
        committed.put(atomic.update(cluster.primary(actors[0]), rows), rows);
    }

    private TableMap map(TableName name) {
        return (TableMap) Objects.requireNonNull(cluster.store.value(RegistryPaths.map(name)));
    }

    private String objectsOf(int actor) {
        return "backup/test/" + cluster.map().tableId() + "/" + actor + "/";
    }

    private List<String> rows(TableName name, int actor) {
        TableMap map = map(name);
        ReplicaKey key = new ReplicaKey(map.tableId(), actor);
        Host primary = cluster.server(map.get(actor).primary());
        cluster.await(() -> primary.serving(key), 60);
        return List.copyOf(primary.engine().rows(key));
    }

    /** Checks that the table's actors have exactly the versions up to that of its transaction log, and returns that version. */
    private long checkOneVersion(TableName name) {
        TransactionLogState log =
                (TransactionLogState) Objects.requireNonNull(cluster.store.value(cluster.logPath(name)));
        long version = log.committedVersion();
        for (int actor : map(name).numbers()) {
            List<String> due = committed.headMap(version, true).entrySet().stream()
                    .filter(entry -> entry.getValue().containsKey(actor))
                    .map(entry -> entry.getKey() + "=" + entry.getValue().get(actor))
                    .toList();
            assertThat(rows(name, actor))
                    .as("actor %s at version %s", actor, version)
                    .isEqualTo(due);
        }
        return version;
    }

    private void checkUpdatesGoOn(TableName name) {
        TableMap map = map(name);
        Map<Integer, String> rows = new TreeMap<>();
        map.numbers().forEach(actor -> rows.put(actor, "after"));
        List<Outcome<UpdateReply>> after = atomic.send(
                name, map.tableId(), cluster.server(map.actors().get(0).primary()), cluster.nextId(), 1, rows);
        long version = atomic.version(after);
        for (int actor : map.numbers()) {
            cluster.await(() -> rows(name, actor).contains(version + "=after"), 30);
        }
    }

    /** Replaces the cluster by a new one that has only the durable storage, and restores the table. */
    private void coldStart(long clockBehindMillis) {
        Cluster lost = cluster;
        cluster = Cluster.onStorageOf(lost, 3, 10);
        cluster.loop.wallStartMillis -= clockBehindMillis;
        done(new AdminRequest.SalvageTable(lost.map().tableId(), B));
        done(new AdminRequest.VerifyBackup(B));
        done(new AdminRequest.RestoreTable(B, Cluster.T));
        atomic = AtomicCluster.onCluster(cluster);
    }

    @Test
    void aBackupIsOfOneVersionThoughChunksAreMadeMeanwhile() {
        int now = chunk();
        make(now - 2, now);
        update(BUCKETS * (now - 2), BUCKETS * now);
        List<Outcome<AdminReply>> taken = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.BackupTable(Cluster.T, B), taken::add);
        int made = BUCKETS * (now - 1);
        make(now - 1);
        while (taken.isEmpty()) {
            update(made, BUCKETS * now + 1, BUCKETS * (now - 2));
            update(made + 1, BUCKETS * now);
            assertThat(committed.size()).isLessThan(5_000);
        }
        assertThat(taken.get(0)).as("%s", taken.get(0)).isInstanceOf(Outcome.Ok.class);
        done(new AdminRequest.VerifyBackup(B));
        done(new AdminRequest.RestoreTable(B, COPY));
        assertThat(checkOneVersion(COPY)).isPositive();
        checkUpdatesGoOn(COPY);
        done(new AdminRequest.DeleteBackup(B));
        assertThat(cluster.objects.keys("")).noneMatch(key -> key.contains("/pin/"));
    }

    /** The version has rows in a chunk that the first reading of the map lacks. */
    @Test
    void aChunkMadeBeforeTheVersionOfTheBackupIsInIt() {
        int now = chunk();
        make(now);
        update(BUCKETS * now);
        cluster.objects.hold("archive/"); // the marker of the first reading
        List<Outcome<AdminReply>> taken = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.BackupTable(Cluster.T, B), taken::add);
        cluster.await(() -> cluster.objects.holding() > 0, 20);
        make(now - 1);
        update(BUCKETS * now, BUCKETS * (now - 1));
        cluster.objects.release();
        cluster.await(() -> !taken.isEmpty(), 120);
        assertThat(taken.get(0)).as("%s", taken.get(0)).isInstanceOf(Outcome.Ok.class);
        done(new AdminRequest.RestoreTable(B, COPY));
        assertThat(map(COPY).numbers()).isEqualTo(map(Cluster.T).numbers());
        assertThat(checkOneVersion(COPY)).isEqualTo(committed.lastKey());
        done(new AdminRequest.DeleteBackup(B));
        assertThat(cluster.objects.keys("")).noneMatch(key -> key.contains("/pin/"));
    }

    @Test
    void aBackupWithoutVersionsIsRestoredEmpty() {
        int now = chunk();
        make(now);
        done(new AdminRequest.BackupTable(Cluster.T, B));
        update(BUCKETS * now);
        done(new AdminRequest.RestoreTable(B, COPY));
        assertThat(checkOneVersion(COPY)).isZero();
        checkUpdatesGoOn(COPY);
    }

    private void updateSome(Random random) {
        List<Integer> live = cluster.map().numbers();
        int[] actors = random.ints(random.nextInt(3) + 1, 0, live.size())
                .map(live::get)
                .distinct()
                .sorted()
                .toArray();
        update(actors);
    }

    /** Chunks are made, written together and expire, until the registry is lost at a random moment. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aColdStartIsOfOneVersion(long seed) {
        Random random = new Random(seed);
        int rounds = random.nextInt(12) + 3;
        for (int round = 0; round < rounds; round++) {
            make(chunk() - random.nextInt(3));
            for (int i = random.nextInt(12); i >= 0; i--) {
                updateSome(random);
                cluster.loop.run(random.nextInt(200) * 1_000_000L);
            }
            if (random.nextInt(3) == 0) {
                cluster.loop.wallStartMillis += HOUR;
                cluster.loop.run(random.nextInt(20) * SECOND);
            }
        }
        boolean shipped = random.nextBoolean();
        cluster.loop.run(shipped ? 20 * SECOND : random.nextInt(1_500) * 1_000_000L);
        TableMap before = cluster.map();
        coldStart(0);
        long version = checkOneVersion(Cluster.T);
        if (shipped) {
            assertThat(cluster.map().numbers()).containsAll(before.numbers());
            long newest = committed.entrySet().stream()
                    .filter(entry -> entry.getValue().keySet().stream().anyMatch(before::has))
                    .map(Map.Entry::getKey)
                    .reduce(0L, Math::max);
            assertThat(version).isGreaterThanOrEqualTo(newest);
        }
        if (!cluster.map().actors().isEmpty()) {
            checkUpdatesGoOn(Cluster.T);
        }
    }

    /** The chunk's objects are deleted. By the new leader's clock it would be live. */
    @Test
    void aSlowClockDoesNotBringAnExpiredChunkBack() {
        int now = chunk();
        make(now - 3, now);
        int old = BUCKETS * (now - 3);
        for (int i = 0; i < 5; i++) {
            update(old, BUCKETS * now);
            update(old, old + 1);
        }
        cluster.loop.wallStartMillis += HOUR;
        cluster.await(() -> !cluster.map().has(old), 30);
        String prefix = objectsOf(old);
        cluster.await(() -> cluster.objects.keys(prefix).isEmpty(), 60);
        update(
                BUCKETS * now,
                BUCKETS * now + 1); // its commit checks the map, also if the manager has prepared it with an older one
        update(BUCKETS * now + 1);
        cluster.loop.run(10 * SECOND);
        coldStart(HOUR);
        assertThat(cluster.map().expiredBefore()).isEqualTo(now - 2);
        assertThat(checkOneVersion(Cluster.T)).isEqualTo(committed.lastKey());
    }

    /** A part of the chunk's objects is deleted, which is damage in a live chunk. */
    @Test
    void damageOfAnExpiredChunkIsIgnored() {
        int now = chunk();
        make(now - 3, now);
        int old = BUCKETS * (now - 3);
        update(old, BUCKETS * now);
        cluster.loop.wallStartMillis += HOUR;
        cluster.await(() -> !cluster.map().has(old), 30);
        update(BUCKETS * now);
        update(BUCKETS * now);
        cluster.loop.run(20 * SECOND);
        String log = objectsOf(old) + "log/";
        cluster.objects.set(log + "%020d-%020d-%020d".formatted(4, 5, 1), "damaged");
        coldStart(HOUR);
        assertThat(cluster.map().numbers()).containsExactly(BUCKETS * now, BUCKETS * now + 1);
        assertThat(checkOneVersion(Cluster.T)).isEqualTo(committed.lastKey());
    }

    @Test
    void damageOfALiveChunkIsAnError() {
        int now = chunk();
        make(now - 1, now);
        update(BUCKETS * (now - 1), BUCKETS * now);
        cluster.loop.run(20 * SECOND);
        String log = objectsOf(BUCKETS * (now - 1)) + "log/";
        cluster.objects.keys(log).forEach(cluster.objects::remove);
        cluster.objects.set(log + "%020d-%020d-%020d".formatted(4, 5, 1), "damaged");
        Cluster lost = cluster;
        cluster = Cluster.onStorageOf(lost, 3, 10);
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(new AdminRequest.SalvageTable(lost.map().tableId(), B), outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 120);
        assertThat(outcome.get(0).error()).hasMessageContaining("CORRUPT");
    }

    /** The server's map lacks a chunk whose rows are in the versions of its checkpoint. */
    @Test
    void aCheckpointWaitsForChunksThatTheServerDoesNotKnowYet() {
        cluster = new Cluster(8, 10);
        atomic = table(OnLoss.WAIT);
        int now = chunk();
        make(now);
        cluster.loop.run(5 * SECOND);
        int known = BUCKETS * now;
        Host behind = cluster.primary(known);
        behind.registry().holdReads(RegistryPaths.map(Cluster.T)::equals);
        make(now - 1);
        int first = BUCKETS * (now - 1);
        int added = cluster.primary(first) == behind ? first + 1 : first;
        cluster.objects.refuse(objectsOf(added));
        for (int i = 0; i < 25; i++) {
            update(added, known);
        }
        cluster.loop.run(20 * SECOND);
        String checkpoints = objectsOf(known) + "checkpoint/";
        assertThat(cluster.objects.keys(objectsOf(known) + "log/")).isNotEmpty();
        assertThat(cluster.objects.keys(checkpoints)).isEmpty();
        behind.registry().release();
        cluster.loop.run(10 * SECOND);
        assertThat(cluster.objects.keys(checkpoints)).isEmpty();
        cluster.objects.refuse("");
        cluster.await(() -> !cluster.objects.keys(checkpoints).isEmpty(), 60);
    }

    private void lose(int actor) {
        cluster.actor(actor).isr().forEach(id -> cluster.server(id).kill());
    }

    private void awaitRestored(long number) {
        cluster.await(() -> cluster.map().tableId() > number, 200);
        atomic = AtomicCluster.onCluster(cluster);
    }

    @Test
    void aTableThatLosesAnActorGoesBackToAVersionOfItsLiveChunks() {
        cluster = new Cluster(5, 10);
        atomic = table(OnLoss.RESTORE_TABLE);
        int now = chunk();
        make(now - 3, now - 1, now);
        int old = BUCKETS * (now - 3);
        int lost = BUCKETS * now + 1;
        for (int i = 0; i < 5; i++) {
            update(old, lost);
            update(BUCKETS * (now - 1), lost, old + 1);
            update(old, old + 1);
        }
        cluster.loop.run(5 * SECOND);
        long whole = committed.lastKey();
        cluster.loop.wallStartMillis += HOUR;
        cluster.await(() -> !cluster.map().has(old), 30);
        cluster.objects.down(true);
        update(BUCKETS * (now - 1), lost);
        long number = cluster.map().tableId();
        long next = atomic.log().nextVersion();
        lose(lost);
        cluster.objects.down(false);
        awaitRestored(number);
        assertThat(cluster.map().expiredBefore()).isEqualTo(now - 2);
        assertThat(cluster.map().numbers())
                .containsExactly(BUCKETS * (now - 1), BUCKETS * (now - 1) + 1, BUCKETS * now, BUCKETS * now + 1);
        long version = checkOneVersion(Cluster.T);
        assertThat(version).isLessThanOrEqualTo(whole).isGreaterThanOrEqualTo(whole - 1);
        assertThat(atomic.log().nextVersion()).isGreaterThanOrEqualTo(next);
        assertThat(atomic.log().chunkVersions().expiredBefore()).isEqualTo(now - 2);
        checkUpdatesGoOn(Cluster.T);
        make(now - 2);
    }

    /** The new chunk is lost before it has shipped anything. Others have stored checkpoints before it was made. */
    @Test
    void aNewChunkThatIsLostComesBackEmpty() {
        cluster = new Cluster(5, 10);
        atomic = table(OnLoss.RESTORE_TABLE);
        int now = chunk();
        make(now - 1);
        for (int i = 0; i < 40; i++) {
            update(BUCKETS * (now - 1), BUCKETS * (now - 1) + 1);
        }
        cluster.loop.run(20 * SECOND);
        assertThat(cluster.objects.keys("backup/")).anyMatch(key -> key.contains("/checkpoint/"));
        long whole = committed.lastKey();
        cluster.objects.down(true);
        make(now);
        int lost = BUCKETS * now;
        update(BUCKETS * (now - 1), lost);
        long number = cluster.map().tableId();
        lose(lost);
        cluster.objects.down(false);
        awaitRestored(number);
        assertThat(checkOneVersion(Cluster.T)).isEqualTo(whole);
        assertThat(cluster.map().get(lost).firstVersion())
                .as("an actor without data refuses earlier versions")
                .isEqualTo(atomic.log().nextVersion());
        checkUpdatesGoOn(Cluster.T);
    }
}
