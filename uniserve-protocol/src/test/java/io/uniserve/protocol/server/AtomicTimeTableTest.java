package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerRequest;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Atomic tables that are partitioned by time: chunks are made and expire while versions are in flight, read, backed up and restored. */
class AtomicTimeTableTest {
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

    private Cluster cluster = new Cluster(4, 10);
    private AtomicCluster atomic = new AtomicCluster(cluster, HOURS, 2, OnLoss.WAIT);
    private final int now = HOURS.chunks().ordinalOf(cluster.loop.wallMillis());

    /** Rows per actor of each committed version. */
    private final TreeMap<Long, Map<Integer, String>> committed = new TreeMap<>();

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

    private AdminRequest create(int... ordinals) {
        return new AdminRequest.CreateChunks(
                Cluster.T,
                cluster.map().tableId(),
                IntStream.of(ordinals).boxed().toList());
    }

    private static int[] actors(int... ordinals) {
        return IntStream.of(ordinals)
                .flatMap(ordinal -> IntStream.of(2 * ordinal, 2 * ordinal + 1))
                .toArray();
    }

    private static List<Integer> list(int... actors) {
        return IntStream.of(actors).boxed().toList();
    }

    /** The manager that clients choose: the primary of the oldest chunk. */
    private Host manager() {
        return cluster.server(cluster.map().actors().get(0).primary());
    }

    private Outcome<UpdateReply> update(Host manager, int... actors) {
        Map<Integer, String> rows = AtomicCluster.rows("r" + committed.size(), actors);
        List<Outcome<UpdateReply>> outcome = atomic.send(manager, cluster.nextId(), 1, rows);
        cluster.await(() -> !outcome.isEmpty(), 60);
        if (outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok
                && ok.value().failures().isEmpty()) {
            committed.put(ok.value().acks().get(0).index(), rows);
        }
        return outcome.get(0);
    }

    private long commit(int... actors) {
        Outcome<UpdateReply> outcome = update(manager(), actors);
        assertThat(outcome).isInstanceOf(Outcome.Ok.class);
        assertThat(outcome.value().failures()).isEmpty();
        return committed.lastKey();
    }

    /** The rows of the actors at a version, as a read returns them. */
    private Map<Integer, String> due(long version, int... actors) {
        TreeMap<Integer, String> due = new TreeMap<>();
        for (int actor : actors) {
            due.put(
                    actor,
                    String.join(
                            ",",
                            committed.headMap(version, true).entrySet().stream()
                                    .filter(entry -> entry.getValue().containsKey(actor))
                                    .map(entry -> entry.getKey() + "="
                                            + entry.getValue().get(actor))
                                    .toList()));
        }
        return due;
    }

    private void expire(int hours) {
        int before = now + hours - 3;
        cluster.loop.wallStartMillis += hours * HOUR;
        cluster.await(() -> cluster.map().expiredBefore() >= before, 30);
    }

    private static Map<Integer, String> texts(StrictReadExecution.Result result) {
        TreeMap<Integer, String> values = new TreeMap<>();
        result.values().forEach((actor, value) -> values.put(actor, value.utf8()));
        return values;
    }

    private static void assertFailed(Outcome<UpdateReply> outcome, ErrorCode code) {
        assertThat(outcome).isInstanceOf(Outcome.Ok.class);
        assertThat(outcome.value().failures())
                .isNotEmpty()
                .allSatisfy(failure -> assertThat(failure.code()).isEqualTo(code));
    }

    @Test
    void aReaderWithAnOlderMapSeesTheNewChunkOfTheVersionThatItReads() {
        done(create(now - 1, now));
        commit(actors(now - 1, now));
        AtomicReader reader = atomic.reader();
        assertThat(reader.read().values()).isEqualTo(due(1, actors(now - 1, now)));
        reader.lag();
        done(create(now + 1));
        long version = commit(2 * now, 2 * now + 2);
        AtomicReader.Read read = reader.read();
        assertThat(read.version()).isEqualTo(version);
        assertThat(read.values()).isEqualTo(due(version, actors(now - 1, now, now + 1)));
    }

    @Test
    void aNewChunkIsEmptyAtEarlierVersions() {
        done(create(now));
        long first = commit(actors(now));
        AtomicReader reader = atomic.reader();
        reader.lag();
        Outcome<List<StrictReadExecution.Result>> strict = reader.strict(20, Cluster.T);
        assertThat(strict.value().get(0).version()).isEqualTo(first);
        done(create(now + 1));
        commit(actors(now, now + 1));
        Outcome<List<StrictReadExecution.Result>> again =
                reader.strictAt(strict.value().get(0).consistentCut(), 20, Cluster.T);
        assertThat(texts(again.value().get(0))).isEqualTo(due(first, actors(now)));
    }

    @Test
    void aStrictReadAsksExactlyTheActorsOfItsSnapshot() {
        done(create(now - 3, now));
        commit(actors(now - 3, now));
        AtomicReader reader = atomic.reader();
        reader.lag();
        expire(1);
        done(create(now + 1));
        long version = commit(actors(now, now + 1));
        StrictReadExecution.Result result = reader.strict(20, Cluster.T).value().get(0);
        assertThat(result.version()).isEqualTo(version);
        assertThat(texts(result)).isEqualTo(due(version, actors(now, now + 1)));
    }

    @Test
    void aTableWithoutChunksIsReadAsEmpty() {
        assertThat(atomic.reader().read().values()).isEmpty();
        assertThat(atomic.reader().strict(20, Cluster.T).value().get(0).values())
                .isEmpty();
        done(create(now - 3));
        commit(2 * now - 6);
        expire(1);
        assertThat(atomic.reader().read().values()).isEmpty();
        StrictReadExecution.Result strict =
                atomic.reader().strict(20, Cluster.T).value().get(0);
        assertThat(strict.values()).isEmpty();
        assertThat(strict.version()).isEqualTo(1);
        done(create(now));
        assertThat(commit(2 * now)).isGreaterThan(1);
    }

    @Test
    void theFirstVersionOfANewActorIsTheOneInFlight() {
        done(create(now));
        long before = commit(2 * now); // starts the next version ahead
        done(create(now + 1));
        assertThat(cluster.map().get(2 * now + 2).firstVersion()).isEqualTo(before + 1);
        long version = commit(2 * now, 2 * now + 2);
        assertThat(version).isEqualTo(before + 1);
        cluster.loop.run(5 * SECOND);
        done(create(now - 1));
        TransactionLogState log = atomic.log();
        assertThat(log.inFlight()).isNull();
        assertThat(cluster.map().get(2 * now - 2).firstVersion()).isEqualTo(log.nextVersion());
    }

    /** Versions follow each other without a pause. The creation loses races, and succeeds nevertheless. */
    @Test
    void chunksAreMadeWhileVersionsAreCommitted() {
        done(create(now));
        for (int chunk : new int[] {now + 1, now - 1, now - 2}) {
            List<Outcome<AdminReply>> made = send(create(chunk));
            for (int i = 0; i < 200 && made.isEmpty(); i++) {
                commit(actors(now));
            }
            assertThat(made).as("chunk %s", chunk).isNotEmpty();
            assertThat(made.get(0)).isInstanceOf(Outcome.Ok.class);
            commit(2 * now, 2 * chunk + 1);
        }
        AtomicReader.Read read = atomic.reader().read();
        assertThat(read.values()).isEqualTo(due(read.version(), actors(now - 2, now - 1, now, now + 1)));
    }

    /** The write of a new chunk is held while another version starts: it is refused, and made again by the newer log. */
    @Test
    void aCreationByAnOlderTransactionLogIsRefused() {
        done(create(now));
        commit(2 * now);
        cluster.loop.run(5 * SECOND);
        cluster.coordinatorRegistry.hold(ops ->
                ops.stream().anyMatch(op -> op.path().equals(RegistryPaths.map(Cluster.T))));
        List<Outcome<AdminReply>> made = send(create(now + 1));
        cluster.await(() -> cluster.coordinatorRegistry.holding() > 0, 10);
        long later = commit(2 * now);
        cluster.coordinatorRegistry.release();
        cluster.await(() -> !made.isEmpty(), 30);
        assertThat(made.get(0)).isInstanceOf(Outcome.Ok.class);
        assertThat(cluster.map().get(2 * now + 2).firstVersion()).isGreaterThan(later);
        commit(2 * now, 2 * now + 2);
    }

    /** Another manager aborts a version that the first one has started ahead. A new chunk refuses it, and is not in doubt about it. */
    @Test
    void aNewChunkRefusesAVersionThatWasAbortedBefore() {
        done(create(now));
        Host first = manager();
        long ahead = commit(2 * now) + 1;
        Host other = atomic.other(2 * now);
        assertThat(update(other, 2 * now + 1)).isInstanceOf(Outcome.Ok.class);
        assertThat(committed.lastKey()).isGreaterThan(ahead);
        done(create(now + 1));
        ActorState made = cluster.map().get(2 * now + 2);
        assertThat(made.firstVersion()).isGreaterThan(ahead);
        assertThat(update(first, 2 * now, 2 * now + 2)).isInstanceOf(Outcome.Ok.class);
        cluster.loop.run(5 * SECOND);
        made.isr()
                .forEach(id -> assertThat(atomic.doubt(cluster.server(id), made.actor()))
                        .isZero());
    }

    /** The version is undecided, since the oldest chunk cannot vote, when that chunk expires. */
    @Test
    void aVersionInFlightWithAnExpiredChunkEndsAndItsOtherRowsAreNotSeen() {
        done(create(now - 3, now));
        commit(actors(now - 3, now));
        Host manager = atomic.primary(2 * now);
        int old = 2 * now - 6;
        cluster.network.lose((to, request) ->
                request instanceof PeerRequest.Prepare prepare && prepare.key().actor() == old);
        List<Outcome<UpdateReply>> both =
                atomic.send(manager, cluster.nextId(), 1, AtomicCluster.rows("x", old, 2 * now));
        List<Outcome<UpdateReply>> alone = atomic.send(manager, cluster.nextId(), 1, AtomicCluster.rows("y", 2 * now));
        cluster.loop.run(SECOND / 2);
        expire(1);
        cluster.await(() -> !both.isEmpty() && !alone.isEmpty(), 30);
        assertFailed(both.get(0), ErrorCode.CHUNK_EXPIRED);
        committed.put(atomic.version(alone), AtomicCluster.rows("y", 2 * now));
        cluster.network.lose((to, request) -> false);
        long version = commit(actors(now));
        AtomicReader.Read read = atomic.reader().read();
        assertThat(read.values()).isEqualTo(due(version, actors(now)));
        assertFailed(update(manager(), old, 2 * now), ErrorCode.CHUNK_EXPIRED);
        assertThat(atomic.reader().read().values()).isEqualTo(due(version, actors(now)));
    }

    /** The servers of the oldest chunk never log the decision. */
    @Test
    void decisionsDoNotWaitForExpiredActors() {
        done(create(now - 3, now));
        int old = 2 * now - 6;
        cluster.network.lose((to, request) ->
                request instanceof PeerRequest.Decide decide && decide.key().actor() == old);
        long version = commit(old, 2 * now);
        for (int i = 0; i < 3; i++) {
            cluster.loop.run(SECOND / 4);
            update(atomic.primary(2 * now), 2 * now);
        }
        assertThat(unacked(version)).containsExactly(old);
        expire(1);
        cluster.loop.run(5 * SECOND);
        commit(2 * now);
        cluster.loop.run(SECOND);
        commit(2 * now);
        assertThat(unacked(version)).isEmpty();
    }

    private List<Integer> unacked(long version) {
        return atomic.log().decisions().stream()
                .filter(decision -> decision.version() == version)
                .map(Decision::unackedParticipants)
                .findFirst()
                .orElse(List.of());
    }

    @Test
    void aReadNeverHasAPartOfAChunkThatExpires() {
        done(create(now - 3, now));
        long version = commit(actors(now - 3, now));
        AtomicReader reader = atomic.reader();
        reader.lag();
        List<ServerId> servers = cluster.map().get(2 * now - 5).isr();
        servers.forEach(id -> cluster.server(id).kill());
        expire(1);
        servers.forEach(id -> cluster.server(id).start());
        Map<Integer, String> values = reader.read().values();
        assertThat(values).isEqualTo(due(version, actors(now)));
    }

    // ---- durable storage

    private TableMap map(TableName name) {
        return (TableMap) Objects.requireNonNull(cluster.store.value(RegistryPaths.map(name)));
    }

    private List<String> rows(TableName name, int actor) {
        ReplicaKey key = new ReplicaKey(map(name).tableId(), actor);
        Host primary = cluster.server(map(name).get(actor).primary());
        cluster.await(() -> primary.serving(key), 30);
        return List.copyOf(primary.engine().rows(key));
    }

    private long version(TableName name) {
        return ((TransactionLogState) Objects.requireNonNull(cluster.store.value(cluster.logPath(name))))
                .committedVersion();
    }

    private void checkRows(TableName name) {
        cluster.loop.run(SECOND); // the newest decision is applied
        Map<Integer, String> due = due(
                version(name),
                map(name).numbers().stream().mapToInt(Integer::intValue).toArray());
        due.forEach((actor, text) -> assertThat(String.join(",", rows(name, actor)))
                .as("actor %s of %s at version %s", actor, name, version(name))
                .isEqualTo(text));
    }

    @Test
    void aBackupIsOfOneVersionAndOfTheChunksThatStayLive() {
        done(create(now - 3, now - 1, now));
        for (int i = 0; i < 15; i++) {
            commit(2 * (now - 3) + i % 2, 2 * (now - i % 2));
        }
        List<Outcome<AdminReply>> taken = send(new AdminRequest.BackupTable(Cluster.T, B));
        for (int i = 0; taken.isEmpty() && i < 1_000; i++) {
            commit(2 * now - i % 2, 2 * now + 1);
            cluster.loop.run(SECOND / 50);
        }
        assertThat(taken.get(0)).as("%s", taken.get(0)).isInstanceOf(Outcome.Ok.class);
        expire(1);
        done(new AdminRequest.VerifyBackup(B));
        done(new AdminRequest.RestoreTable(B, COPY));
        assertThat(map(COPY).numbers()).isEqualTo(list(actors(now - 1, now)));
        assertThat(version(COPY)).isPositive();
        checkRows(COPY);
        done(new AdminRequest.CreateChunks(COPY, map(COPY).tableId(), List.of(now + 1)));
        List<Outcome<UpdateReply>> after = atomic.send(
                COPY,
                map(COPY).tableId(),
                cluster.server(map(COPY).get(2 * now).primary()),
                cluster.nextId(),
                1,
                AtomicCluster.rows("after", 2 * now, 2 * now + 2));
        assertThat(atomic.version(after)).isGreaterThan(version(COPY) - 1);
        cluster.await(() -> rows(COPY, 2 * now + 2).size() == 1, 20);
    }

    /** Replaces the cluster by a new one that has only the durable storage, and restores the table. */
    private void coldStart() {
        cluster = Cluster.onStorageOf(cluster, 4, 10);
        List<TableMeta> tables = ((AdminReply.Definitions) done(new AdminRequest.LostTables())).tables();
        assertThat(tables).singleElement().satisfies(meta -> {
            assertThat(meta.level()).isEqualTo(ConsistencyLevel.FULLY_SERIALIZABLE);
            assertThat(meta.partitioner()).isEqualTo(HOURS);
        });
        BackupName named = new BackupName("lost-t-" + tables.get(0).tableId());
        done(new AdminRequest.SalvageTable(tables.get(0).tableId(), named));
        done(new AdminRequest.RestoreTable(named, Cluster.T));
    }

    /** Chunks are made, written and expire until the registry is lost at a random moment. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aColdStartRestoresOneVersionOfTheLiveChunks(long seed) {
        Random random = new Random(seed);
        for (int i = random.nextInt(50) + 10; i > 0; i--) {
            int chunk = HOURS.chunks().ordinalOf(cluster.loop.wallMillis());
            int[] some = IntStream.range(0, random.nextInt(3) + 1)
                    .map(row -> 2 * (chunk - random.nextInt(4)) + random.nextInt(2))
                    .filter(actor -> actor / 2 >= cluster.map().expiredBefore())
                    .distinct()
                    .toArray();
            if (some.length > 0) {
                done(create(
                        IntStream.of(some).map(actor -> actor / 2).distinct().toArray()));
                update(manager(), some);
            }
            if (random.nextInt(6) == 0) {
                cluster.loop.wallStartMillis += random.nextInt(3) * HOUR / 2;
                cluster.loop.run(random.nextInt(3) * SECOND);
            }
        }
        boolean shipped = random.nextBoolean();
        if (shipped) {
            cluster.loop.run(10 * SECOND);
        } else {
            cluster.loop.run(random.nextInt(2_000) * 1_000_000L);
        }
        TableMap before = cluster.map();
        coldStart();
        checkRows(Cluster.T);
        long base = version(Cluster.T);
        if (shipped) {
            assertThat(base).isEqualTo(committed.lastKey());
            assertThat(before.numbers()).containsAll(cluster.map().numbers());
        }
        committed.keySet().removeIf(version -> version > base);
        int next = HOURS.chunks().ordinalOf(cluster.loop.wallMillis());
        done(create(next));
        atomic = AtomicCluster.onCluster(cluster);
        long after = commit(2 * next, 2 * next + 1);
        checkRows(Cluster.T);
        assertThat(after).isGreaterThan(base);
    }

    /** All replicas of an actor are lost. Its version partners in an expired chunk do not count. */
    @Test
    void aLostActorTakesItsTableBackToTheNewestVersionThatIsWholeInLiveChunks() {
        cluster = new Cluster(5, 10);
        atomic = new AtomicCluster(cluster, HOURS, 2, OnLoss.RESTORE_TABLE);
        long number = cluster.map().tableId();
        done(create(now - 3, now));
        for (int i = 0; i < 25; i++) {
            commit(2 * now - 6, 2 * now, 2 * now + 1);
        }
        cluster.loop.run(5 * SECOND);
        expire(1);
        cluster.loop.run(10 * SECOND); // the objects of the expired chunk are deleted
        long whole = commit(2 * now, 2 * now + 1);
        cluster.loop.run(5 * SECOND);
        cluster.objects.down(true);
        commit(2 * now, 2 * now + 1);
        cluster.map().get(2 * now).isr().forEach(id -> cluster.server(id).kill());
        cluster.objects.down(false);
        cluster.await(() -> cluster.map().tableId() > number, 120);
        assertThat(version(Cluster.T)).isEqualTo(whole);
        assertThat(cluster.map().numbers()).isEqualTo(list(actors(now)));
        checkRows(Cluster.T);
        done(create(now + 1));
        assertThat(commit(2 * now, 2 * now + 2)).isGreaterThan(whole + 1);
        long next = committed.lastKey();
        committed.keySet().removeIf(version -> version > whole && version < next);
        checkRows(Cluster.T);
    }
}
