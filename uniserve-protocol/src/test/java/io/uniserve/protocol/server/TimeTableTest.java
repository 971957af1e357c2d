package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.server.config.Cluster;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Chunks of a TIME table: how they are made, written, expired and removed by a coordinator and servers. */
class TimeTableTest {
    private static final long HOUR = 3_600_000;
    private static final Partitioner.Time HOURS = new Partitioner.Time(
            "ts",
            new ChunkCalendar(IsoPeriod.parse("chunk", "PT1H"), ZoneOffset.UTC),
            2,
            Optional.of(IsoPeriod.parse("retention", "PT3H")),
            IsoPeriod.parse("ahead", "PT1H"));

    private final Cluster cluster = new Cluster(3);

    private long now() {
        return cluster.loop.wallMillis();
    }

    private int ordinal(long time) {
        return HOURS.chunks().ordinalOf(time);
    }

    private void createTable() {
        TableMeta meta =
                new TableMeta(Cluster.T, 0, HOURS, "id", ConsistencyLevel.EVENTUAL, 2, 1, OnLoss.WAIT, "kv", Map.of());
        assertThat(admin(new AdminRequest.CreateTable(meta))).isInstanceOf(Outcome.Ok.class);
    }

    private Outcome<AdminReply> admin(AdminRequest request) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(request, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 30);
        return outcome.get(0);
    }

    private Outcome<AdminReply> createChunks(Integer... ordinals) {
        return admin(new AdminRequest.CreateChunks(Cluster.T, cluster.map().tableId(), List.of(ordinals)));
    }

    private static ErrorCode code(Outcome<?> outcome) {
        return outcome instanceof Outcome.Err<?> err ? err.error().code() : ErrorCode.INTERNAL;
    }

    private Outcome<UpdateReply> put(int actor, long epoch, Host to, String rows) {
        List<Outcome<UpdateReply>> outcome = new ArrayList<>();
        UpdateRequest request = new UpdateRequest(
                Cluster.T,
                cluster.map().tableId(),
                cluster.nextId(),
                0,
                1,
                AckLevel.ISR,
                "put@1",
                List.of(new UpdateRequest.ActorRows(actor, epoch, Bytes.utf8(rows))),
                5 * Cluster.SECOND);
        to.machine().onUpdate(request, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 10);
        return outcome.get(0);
    }

    private boolean put(int actor, String rows) {
        ActorState state = cluster.map().get(actor);
        return put(actor, state.epoch(), cluster.server(state.primary()), rows) instanceof Outcome.Ok<UpdateReply> ok
                && !ok.value().acks().isEmpty();
    }

    private void putUntilAcknowledged(int actor, String rows) {
        for (int attempt = 0; attempt < 100; attempt++) {
            if (put(actor, rows)) {
                return;
            }
            cluster.loop.run(Cluster.SECOND / 10);
        }
        throw new AssertionError("not acknowledged: " + rows);
    }

    private boolean hasFiles(Host host, int actor) {
        String directory = new ReplicaKey(cluster.map().tableId(), actor).toString() + "/";
        return !host.disk.files(directory).isEmpty();
    }

    @Test
    void aTableStartsWithoutActorsAndAChunkIsMadeOnce() {
        createTable();
        assertThat(cluster.map().actors()).isEmpty();
        int chunk = ordinal(now());
        assertThat(createChunks(chunk, chunk - 1)).isInstanceOf(Outcome.Ok.class);
        TableMap made = cluster.map();
        assertThat(made.numbers()).containsExactly(2 * chunk - 2, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1);
        assertThat(made.actors()).allMatch(actor -> actor.isr().size() == 2 && actor.epoch() == 1);
        assertThat(createChunks(chunk)).isInstanceOf(Outcome.Ok.class);
        assertThat(cluster.map().numbers()).isEqualTo(made.numbers());
        int actor = HOURS.actorOf(now(), PartitionKey.of("a"));
        putUntilAcknowledged(actor, "a=1");
        cluster.await(
                () -> cluster.map().get(actor).isr().stream()
                        .allMatch(id -> cluster.server(id)
                                        .engine()
                                        .rows(new ReplicaKey(made.tableId(), actor))
                                        .size()
                                == 1),
                20);
    }

    @Test
    void twoRequestsAtOnceMakeOneChunk() {
        createTable();
        int chunk = ordinal(now());
        List<Outcome<AdminReply>> outcomes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            cluster.coordinator.onAdmin(
                    new AdminRequest.CreateChunks(Cluster.T, cluster.map().tableId(), List.of(chunk, chunk - i % 2)),
                    outcomes::add);
        }
        cluster.await(() -> outcomes.size() == 4, 30);
        assertThat(outcomes).allMatch(outcome -> outcome instanceof Outcome.Ok<AdminReply>);
        assertThat(cluster.map().numbers()).containsExactly(2 * chunk - 2, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1);
    }

    @Test
    void lostAnswersAndWritesOfTheRegistryMakeTheChunkOnce() {
        createTable();
        int chunk = ordinal(now());
        cluster.coordinatorRegistry.loseNextAnswer();
        assertThat(createChunks(chunk)).isInstanceOf(Outcome.Ok.class);
        cluster.coordinatorRegistry.loseNextWrite();
        assertThat(createChunks(chunk - 1)).isInstanceOf(Outcome.Ok.class);
        assertThat(cluster.map().numbers()).hasSize(4);
        putUntilAcknowledged(2 * chunk, "a=1");
    }

    @Test
    void chunksTooFarAheadExpiredOrOfNoYearAreRefused() {
        createTable();
        int chunk = ordinal(now());
        assertThat(code(createChunks(chunk + 3))).isEqualTo(ErrorCode.INVALID_ROW);
        assertThat(code(createChunks(chunk - 5))).isEqualTo(ErrorCode.CHUNK_EXPIRED);
        assertThat(code(createChunks(chunk, chunk - 5))).isEqualTo(ErrorCode.CHUNK_EXPIRED);
        assertThat(code(createChunks(-1))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(code(createChunks((int) HOURS.chunks().chunks()))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(code(createChunks())).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(cluster.map().actors()).isEmpty();
        assertThat(createChunks(chunk + 1)).isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void anExpiredChunkIsRemovedEverywhereAndNeverComesBack() {
        createTable();
        int chunk = ordinal(now());
        assertThat(createChunks(chunk, chunk - 3)).isInstanceOf(Outcome.Ok.class);
        int live = 2 * chunk;
        int old = live - 6;
        putUntilAcknowledged(live, "live=1");
        putUntilAcknowledged(old, "old=1");
        ActorState before = cluster.map().get(old);
        Host primary = cluster.server(before.primary());
        Host away = cluster.server(before.isr().get(1));
        away.kill();
        cluster.loop.wallStartMillis += HOUR;
        cluster.await(() -> !cluster.map().has(old), 30);
        assertThat(cluster.map().has(live)).isTrue();
        assertThat(cluster.map().expiredBefore()).isEqualTo(chunk - 2);
        cluster.await(() -> !hasFiles(primary, old) && !hasFiles(primary, old + 1), 120);
        assertThat(put(old, before.epoch(), primary, "late=1"))
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((UpdateReply) ok.value()).failures())
                                .singleElement()
                                .satisfies(failure -> {
                                    assertThat(failure.code()).isEqualTo(ErrorCode.CHUNK_EXPIRED);
                                    assertThat(failure.message()).contains("PT3H");
                                }));
        cluster.loop.wallStartMillis -= 5 * HOUR;
        assertThat(code(createChunks(chunk - 3))).as("whatever the clock shows").isEqualTo(ErrorCode.CHUNK_EXPIRED);
        away.start();
        cluster.await(() -> !hasFiles(away, old), 120);
        assertThat(cluster.map().has(live)).isTrue();
        putUntilAcknowledged(live, "live=2");
    }

    /** Sends an update and returns the nanoseconds until its acknowledgement. */
    private long acknowledgedAfter(int actor, String rows) {
        cluster.await(() -> primary(actor).machine().hasReplica(key(actor)), 10);
        cluster.await(() -> cluster.map().get(actor).epochStarted(), 10);
        long start = cluster.loop.nanos();
        assertThat(put(actor, rows)).isTrue();
        return cluster.loop.nanos() - start;
    }

    private Host primary(int actor) {
        return cluster.server(cluster.map().get(actor).primary());
    }

    private ReplicaKey key(int actor) {
        return new ReplicaKey(cluster.map().tableId(), actor);
    }

    @Test
    void rowsOfANewChunkAreAcknowledgedOnceAllReadersKnowIt() {
        createTable();
        int chunk = ordinal(now());
        assertThat(createChunks(chunk)).isInstanceOf(Outcome.Ok.class);
        putUntilAcknowledged(2 * chunk, "a=1");
        assertThat(cluster.map().generation()).isEqualTo(1);
        assertThat(createChunks(chunk - 1)).isInstanceOf(Outcome.Ok.class);
        assertThat(cluster.map().generation()).isEqualTo(2);
        assertThat(acknowledgedAfter(2 * chunk - 2, "b=1")).isLessThan(Cluster.SECOND / 2);
        assertThat(acknowledgedAfter(2 * chunk - 2, "b=2")).isLessThan(Cluster.SECOND / 10);
    }

    @Test
    void aReaderThatDoesNotConfirmDelaysRowsOfANewChunkForALease() {
        createTable();
        int chunk = ordinal(now());
        assertThat(createChunks(chunk)).isInstanceOf(Outcome.Ok.class);
        putUntilAcknowledged(2 * chunk, "a=1");
        List<PeerRequest.ConfirmChunks> lost = new ArrayList<>();
        cluster.network.lose(
                (to, request) -> request instanceof PeerRequest.ConfirmChunks confirm && lost.add(confirm));
        assertThat(createChunks(chunk - 1)).isInstanceOf(Outcome.Ok.class);
        assertThat(acknowledgedAfter(2 * chunk, "a=2"))
                .as("a chunk of an earlier generation")
                .isLessThan(Cluster.SECOND / 10);
        assertThat(acknowledgedAfter(2 * chunk - 2, "b=1")).isGreaterThan(Cluster.SECOND);
        assertThat(lost).isNotEmpty().allMatch(confirm -> confirm.generation() == 2);
        assertThat(acknowledgedAfter(2 * chunk - 2, "b=2")).isLessThan(Cluster.SECOND / 10);
    }

    @Test
    void gatesHaveTheGenerationOfTheMap() {
        createTable();
        int chunk = ordinal(now());
        assertThat(createChunks(chunk)).isInstanceOf(Outcome.Ok.class);
        putUntilAcknowledged(2 * chunk, "a=1");
        Host primary = primary(2 * chunk);
        assertThat(Objects.requireNonNull(primary.gates.get(key(2 * chunk))).generation())
                .isEqualTo(1);
        assertThat(createChunks(chunk - 1)).isInstanceOf(Outcome.Ok.class);
        cluster.await(
                () -> Objects.requireNonNull(primary.gates.get(key(2 * chunk))).generation() == 2, 5);
    }

    @Test
    void whatTimeTablesDoNotSupportIsRefusedByName() {
        createTable();
        assertThat(code(admin(new AdminRequest.VerifyActor(Cluster.T, 7)))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
}
