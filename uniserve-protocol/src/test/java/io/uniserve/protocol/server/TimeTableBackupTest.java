package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
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

/** Named backups and cold starts of TIME tables, while chunks are made and expire. */
class TimeTableBackupTest {
    private static final long HOUR = 3_600_000;
    private static final long SECOND = Cluster.SECOND;
    private static final BackupName B = new BackupName("b");
    private static final TableName COPY = new TableName("copy");
    private static final Partitioner.Time HOURS = new Partitioner.Time(
            "ts",
            new ChunkCalendar(IsoPeriod.parse("chunk", "PT1H"), ZoneOffset.UTC),
            2,
            Optional.of(IsoPeriod.parse("retention", "PT3H")),
            IsoPeriod.parse("ahead", "PT1H"));

    private Cluster cluster = new Cluster(2, 10);
    private int requests;

    private int chunk() {
        return HOURS.chunks().ordinalOf(cluster.loop.wallMillis());
    }

    private void createTable(Durability durability) {
        TableMeta meta = new TableMeta(
                        Cluster.T, 0, HOURS, "id", ConsistencyLevel.EVENTUAL, 2, 1, OnLoss.WAIT, "kv", Map.of())
                .with(durability);
        done(new AdminRequest.CreateTable(meta));
    }

    private List<Outcome<AdminReply>> send(AdminRequest request) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(request, outcome::add);
        return outcome;
    }

    private AdminReply done(AdminRequest request) {
        List<Outcome<AdminReply>> outcome = send(request);
        cluster.await(() -> !outcome.isEmpty(), 120);
        assertThat(outcome.get(0)).as("%s", outcome.get(0)).isInstanceOf(Outcome.Ok.class);
        return outcome.get(0).value();
    }

    private void createChunks(Integer... ordinals) {
        done(new AdminRequest.CreateChunks(Cluster.T, cluster.map().tableId(), List.of(ordinals)));
    }

    private TableMap map(TableName name) {
        return (TableMap) Objects.requireNonNull(cluster.store.value(RegistryPaths.map(name)));
    }

    /** Appends a row to an actor of a table, and repeats it until it is acknowledged. */
    private void put(TableName name, int actor, String row) {
        RequestId id = new RequestId(11, 11, ++requests);
        for (int attempt = 0; attempt < 100; attempt++) {
            ActorState state = map(name).get(actor);
            List<Outcome<UpdateReply>> outcome = new ArrayList<>();
            UpdateRequest request = new UpdateRequest(
                    name,
                    map(name).tableId(),
                    id,
                    0,
                    1,
                    AckLevel.ISR,
                    "put@1",
                    List.of(new UpdateRequest.ActorRows(actor, state.epoch(), Bytes.utf8(row))),
                    5 * SECOND);
            cluster.server(state.primary()).machine().onUpdate(request, outcome::add);
            cluster.await(() -> !outcome.isEmpty(), 10);
            if (outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok
                    && !ok.value().acks().isEmpty()) {
                return;
            }
            cluster.loop.run(SECOND / 10);
        }
        throw new AssertionError("not acknowledged: " + row);
    }

    private List<String> rows(TableName name, int actor) {
        ReplicaKey key = new ReplicaKey(map(name).tableId(), actor);
        Host primary = cluster.server(map(name).get(actor).primary());
        cluster.await(() -> primary.serving(key), 20);
        return primary.engine().rows(key).stream()
                .map(row -> row.substring(row.indexOf('=') + 1))
                .toList();
    }

    private List<BackupInfo> backups() {
        return ((AdminReply.Backups) done(new AdminRequest.ListBackups())).backups();
    }

    private static List<Integer> actors(int... ordinals) {
        List<Integer> actors = new ArrayList<>();
        for (int ordinal : ordinals) {
            actors.add(2 * ordinal);
            actors.add(2 * ordinal + 1);
        }
        return actors;
    }

    @Test
    void aBackupHasTheChunksOfItsStartAndIsRestoredToThem() {
        createTable(Durability.LOCAL);
        int now = chunk();
        createChunks(now - 2, now);
        put(Cluster.T, 2 * now, "a");
        put(Cluster.T, 2 * now - 4, "old");
        done(new AdminRequest.BackupTable(Cluster.T, B));
        put(Cluster.T, 2 * now, "later");
        createChunks(now - 1);
        done(new AdminRequest.VerifyBackup(B));
        done(new AdminRequest.RestoreTable(B, COPY));
        assertThat(map(COPY).numbers()).isEqualTo(actors(now - 2, now));
        assertThat(rows(COPY, 2 * now)).containsExactly("a");
        assertThat(rows(COPY, 2 * now - 4)).containsExactly("old");
        assertThat(rows(COPY, 2 * now + 1)).isEmpty();
        assertThat(rows(Cluster.T, 2 * now)).containsExactly("a", "later");
        assertThat(backups()).singleElement().satisfies(info -> {
            assertThat(info.state()).isEqualTo(BackupInfo.State.COMPLETE);
            assertThat(info.actors()).isEqualTo(4);
        });
        done(new AdminRequest.CreateChunks(COPY, map(COPY).tableId(), List.of(now + 1)));
        put(COPY, 2 * now + 2, "new");
        assertThat(map(COPY).numbers()).isEqualTo(actors(now - 2, now, now + 1));
    }

    @Test
    void chunksPastTheRetentionAreNotRestoredAndNeverMadeAgain() {
        createTable(Durability.LOCAL);
        int now = chunk();
        createChunks(now - 3, now);
        put(Cluster.T, 2 * now, "a");
        put(Cluster.T, 2 * now - 6, "old");
        done(new AdminRequest.BackupTable(Cluster.T, B));
        cluster.loop.wallStartMillis += HOUR;
        done(new AdminRequest.RestoreTable(B, COPY));
        assertThat(map(COPY).numbers()).isEqualTo(actors(now));
        assertThat(map(COPY).expiredBefore()).isEqualTo(now - 2);
        assertThat(rows(COPY, 2 * now)).containsExactly("a");
        cluster.loop.wallStartMillis -= HOUR;
        List<Outcome<AdminReply>> again =
                send(new AdminRequest.CreateChunks(COPY, map(COPY).tableId(), List.of(now - 3)));
        cluster.await(() -> !again.isEmpty(), 30);
        assertThat(again.get(0).error().code()).isEqualTo(ErrorCode.CHUNK_EXPIRED);
        done(new AdminRequest.DropTable(COPY));
        cluster.loop.run(30 * SECOND);
        cluster.loop.wallStartMillis += 10 * HOUR;
        done(new AdminRequest.RestoreTable(B, COPY));
        assertThat(map(COPY).actors()).isEmpty();
        assertThat(map(COPY).expiredBefore()).isEqualTo(now + 1);
    }

    @Test
    void aTableWithoutChunksIsBackedUpAndRestored() {
        createTable(Durability.LOCAL);
        done(new AdminRequest.BackupTable(Cluster.T, B));
        assertThat(backups()).singleElement().extracting(BackupInfo::state).isEqualTo(BackupInfo.State.COMPLETE);
        done(new AdminRequest.VerifyBackup(B));
        done(new AdminRequest.RestoreTable(B, COPY));
        assertThat(map(COPY).actors()).isEmpty();
        done(new AdminRequest.CreateChunks(COPY, map(COPY).tableId(), List.of(chunk())));
        put(COPY, 2 * chunk(), "a");
    }

    /** A chunk expires while its pin is being stored, and another is made. The backup is complete without both. */
    @Test
    void aChunkThatExpiresDuringTheBackupIsLeftOutWithItsFiles() {
        createTable(Durability.LOCAL);
        int now = chunk();
        createChunks(now - 3, now);
        put(Cluster.T, 2 * now, "a");
        put(Cluster.T, 2 * now - 6, "old");
        cluster.loop.run(20 * SECOND);
        String old = "backup/test/" + cluster.map().tableId() + "/" + (2 * now - 6) + "/";
        cluster.objects.hold(old + "pin/");
        List<Outcome<AdminReply>> outcome = send(new AdminRequest.BackupTable(Cluster.T, B));
        cluster.await(() -> cluster.objects.holding() > 0, 20);
        cluster.loop.wallStartMillis += HOUR;
        cluster.await(() -> !cluster.map().has(2 * now - 6), 30);
        createChunks(now + 1);
        cluster.objects.release();
        cluster.await(() -> !outcome.isEmpty(), 120);
        assertThat(outcome.get(0)).as("%s", outcome.get(0)).isInstanceOf(Outcome.Ok.class);
        cluster.await(() -> cluster.objects.keys(old).isEmpty(), 60);
        done(new AdminRequest.RestoreTable(B, COPY));
        assertThat(map(COPY).numbers()).isEqualTo(actors(now));
        assertThat(map(COPY).expiredBefore()).isEqualTo(now - 2);
        assertThat(rows(COPY, 2 * now)).containsExactly("a");
    }

    @Test
    void aBackupKeepsTheFilesOfAChunkThatExpiresLater() {
        createTable(Durability.LOCAL);
        int now = chunk();
        createChunks(now - 3, now);
        put(Cluster.T, 2 * now - 6, "old");
        done(new AdminRequest.BackupTable(Cluster.T, B));
        String old = "backup/test/" + cluster.map().tableId() + "/" + (2 * now - 6) + "/";
        cluster.loop.wallStartMillis += HOUR;
        cluster.await(() -> !cluster.map().has(2 * now - 6), 30);
        cluster.loop.run(30 * SECOND);
        assertThat(cluster.objects.keys(old)).isNotEmpty();
        done(new AdminRequest.VerifyBackup(B));
        done(new AdminRequest.DeleteBackup(B));
        cluster.await(() -> cluster.objects.keys(old).isEmpty(), 30);
        assertThat(backups()).isEmpty();
    }

    @Test
    void aDroppedTableLeavesNothingInDurableStorage() {
        createTable(Durability.LOCAL);
        int now = chunk();
        createChunks(now - 3, now);
        put(Cluster.T, 2 * now, "a");
        cluster.loop.run(20 * SECOND);
        assertThat(cluster.objects.keys("definition/")).isNotEmpty();
        done(new AdminRequest.DropTable(Cluster.T));
        cluster.await(
                () -> cluster.objects.keys("").equals(List.of(StoredTableDefinition.dropped("test", 1), "owner/test")),
                60);
    }

    @Test
    void theDefinitionOfADroppedTableWhoseChunksAllExpiredGoesToo() {
        createTable(Durability.LOCAL);
        createChunks(chunk());
        put(Cluster.T, 2 * chunk(), "a");
        cluster.loop.run(20 * SECOND);
        cluster.loop.wallStartMillis += 10 * HOUR;
        cluster.await(() -> cluster.map().actors().isEmpty(), 30);
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.objects.keys("backup/")).isEmpty();
        assertThat(cluster.objects.keys("definition/")).isNotEmpty();
        done(new AdminRequest.DropTable(Cluster.T));
        cluster.await(
                () -> cluster.objects.keys("").equals(List.of(StoredTableDefinition.dropped("test", 1), "owner/test")),
                60);
    }

    /** With durability REMOTE an update is acknowledged only when durable storage has the definition too. */
    @Test
    void durabilityRemoteAcknowledgesAndAColdStartHasEveryRow() {
        cluster = new Cluster(3, 10);
        createTable(Durability.REMOTE);
        TreeMap<Integer, List<String>> acknowledged = new TreeMap<>();
        int now = chunk();
        createChunks(now - 1);
        write(acknowledged, 2 * now - 2, "a");
        createChunks(now - 2, now);
        write(acknowledged, 2 * now - 4, "b");
        write(acknowledged, 2 * now + 1, "c");
        coldStart();
        acknowledged.forEach((actor, rows) -> assertThat(rows(Cluster.T, actor)).isEqualTo(rows));
    }

    private void write(Map<Integer, List<String>> acknowledged, int actor, String row) {
        put(Cluster.T, actor, row);
        acknowledged.computeIfAbsent(actor, unused -> new ArrayList<>()).add(row);
    }

    /** Replaces the cluster by a new one that has only the durable storage, and restores the table. */
    private void coldStart() {
        cluster = Cluster.onStorageOf(cluster, 3, 10);
        List<TableMeta> tables = ((AdminReply.Definitions) done(new AdminRequest.LostTables())).tables();
        assertThat(tables).singleElement().satisfies(meta -> {
            assertThat(meta.name()).isEqualTo(Cluster.T);
            assertThat(meta.partitioner()).isEqualTo(HOURS);
        });
        BackupName named = new BackupName("lost-t-" + tables.get(0).tableId());
        done(new AdminRequest.SalvageTable(tables.get(0).tableId(), named));
        done(new AdminRequest.RestoreTable(named, Cluster.T));
    }

    /** Chunks are made, written and expire until the registry is lost at a random moment: all chunks that are live then are back. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aColdStartRestoresTheLiveChunks(long seed) {
        Random random = new Random(seed);
        cluster = new Cluster(3, 10);
        createTable(Durability.LOCAL);
        TreeMap<Integer, List<String>> acknowledged = new TreeMap<>();
        for (int i = random.nextInt(40) + 10; i > 0; i--) {
            int ordinal = chunk() - random.nextInt(4);
            if (ordinal >= cluster.map().expiredBefore()) {
                createChunks(ordinal);
                for (int rows = random.nextInt(4); rows > 0; rows--) {
                    int actor = 2 * ordinal + random.nextInt(2);
                    if (cluster.map().has(actor)) {
                        write(acknowledged, actor, "r" + requests);
                    }
                }
            }
            if (random.nextInt(6) == 0) {
                cluster.loop.wallStartMillis += random.nextInt(3) * HOUR / 2;
                cluster.loop.run(random.nextInt(3) * SECOND); // some expire, and some of their files may be there still
            }
        }
        cluster.loop.run(10 * SECOND);
        int newest = chunk() + 1; // a chunk of which storage may have nothing, or something of one bucket
        createChunks(newest);
        if (random.nextBoolean()) {
            put(Cluster.T, 2 * newest, "x");
        }
        cluster.loop.run(random.nextInt(2_000) * 1_000_000L);
        TableMap before = cluster.map();
        coldStart();
        TableMap after = cluster.map();
        before.numbers().stream()
                .filter(actor -> HOURS.ordinalOf(actor) != newest)
                .forEach(actor -> {
                    assertThat(after.has(actor)).as("actor %s", actor).isTrue();
                    assertThat(rows(Cluster.T, actor)).isEqualTo(acknowledged.getOrDefault(actor, List.of()));
                });
        assertThat(before.numbers()).containsAll(after.numbers());
        assertThat(after.has(2 * newest)).as("whole chunks").isEqualTo(after.has(2 * newest + 1));
        createChunks(newest);
        put(Cluster.T, 2 * newest + 1, "after");
        assertThat(rows(Cluster.T, 2 * newest + 1)).containsExactly("after");
    }
}
