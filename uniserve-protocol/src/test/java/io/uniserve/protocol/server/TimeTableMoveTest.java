package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
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
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Moves and extra replicas of the actors of a TIME table, while rows arrive and chunks are made and expire. */
class TimeTableMoveTest {
    private static final long HOUR = 3_600_000;
    private static final Partitioner.Time HOURS = new Partitioner.Time(
            "ts",
            new ChunkCalendar(IsoPeriod.parse("chunk", "PT1H"), ZoneOffset.UTC),
            1,
            Optional.of(IsoPeriod.parse("retention", "PT3H")),
            IsoPeriod.parse("ahead", "PT1H"));

    private final Cluster cluster = new Cluster(4, 10);
    private final List<String> sent = new ArrayList<>();
    private final int now = HOURS.chunks().ordinalOf(cluster.loop.wallMillis());

    TimeTableMoveTest() {
        TableMeta meta =
                new TableMeta(Cluster.T, 0, HOURS, "id", ConsistencyLevel.EVENTUAL, 2, 1, OnLoss.WAIT, "kv", Map.of());
        done(new AdminRequest.CreateTable(meta));
        createChunks(now - 3, now);
        for (int i = 0; i < 25; i++) {
            put(now);
        }
    }

    private Outcome<AdminReply> ask(AdminRequest request) {
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        cluster.coordinator.onAdmin(request, outcome::add);
        cluster.await(() -> !outcome.isEmpty(), 60);
        return outcome.get(0);
    }

    private void done(AdminRequest request) {
        Outcome<AdminReply> outcome = ask(request);
        assertThat(outcome).as("%s", outcome).isInstanceOf(Outcome.Ok.class);
    }

    private void createChunks(Integer... ordinals) {
        done(new AdminRequest.CreateChunks(Cluster.T, cluster.map().tableId(), List.of(ordinals)));
    }

    /** Appends the next row to an actor, and repeats it until it is acknowledged. */
    private void put(int actor) {
        String row = "r" + sent.size();
        RequestId id = new RequestId(5, 5, sent.size() + 1);
        for (int attempt = 0; attempt < 200; attempt++) {
            ActorState state = cluster.map().get(actor);
            List<Outcome<UpdateReply>> outcome = new ArrayList<>();
            UpdateRequest request = new UpdateRequest(
                    Cluster.T,
                    cluster.map().tableId(),
                    id,
                    0,
                    1,
                    AckLevel.ISR,
                    "put@1",
                    List.of(new UpdateRequest.ActorRows(actor, state.epoch(), Bytes.utf8(row))),
                    5 * Cluster.SECOND);
            cluster.server(state.primary()).machine().onUpdate(request, outcome::add);
            cluster.await(() -> !outcome.isEmpty(), 10);
            if (outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok
                    && !ok.value().acks().isEmpty()) {
                sent.add(row);
                return;
            }
            cluster.loop.run(Cluster.SECOND / 10);
        }
        throw new AssertionError("not acknowledged: " + row);
    }

    private ServerId spare(int actor) {
        ActorState state = cluster.map().get(actor);
        return cluster.servers.keySet().stream()
                .map(ServerId::new)
                .filter(id -> !state.desiredServers().contains(id))
                .findFirst()
                .orElseThrow();
    }

    private boolean hasFiles(ServerId server, int actor) {
        String directory = new ReplicaKey(cluster.map().tableId(), actor) + "/";
        return !cluster.server(server).disk.files(directory).isEmpty();
    }

    private List<String> rows(ServerId server, int actor) {
        return cluster.server(server).engine().rows(new ReplicaKey(cluster.map().tableId(), actor)).stream()
                .map(row -> row.substring(row.indexOf('=') + 1))
                .toList();
    }

    @Test
    void aPrimaryMovesWhileItsChunkIsWrittenAndOthersAreMadeAndExpire() {
        ServerId from = cluster.map().get(now).primary();
        ServerId to = spare(now);
        done(new AdminRequest.MoveReplica(Cluster.T, now, from, to));
        createChunks(now - 1);
        cluster.loop.wallStartMillis += HOUR;
        for (int i = 0; i < 40; i++) {
            put(now);
            cluster.loop.run(Cluster.SECOND / 4);
        }
        cluster.await(() -> !cluster.map().has(now - 3), 30);
        cluster.await(() -> cluster.map().get(now).isr().contains(to), 60);
        cluster.await(() -> !cluster.map().get(now).hasReplicaOn(from) && !hasFiles(from, now), 120);
        assertThat(cluster.map().numbers()).containsExactly(now - 1, now);
        assertThat(cluster.map().expiredBefore()).isEqualTo(now - 2);
        put(now);
        ServerId primary = cluster.map().get(now).primary();
        cluster.await(() -> rows(primary, now).size() == sent.size(), 20);
        assertThat(rows(primary, now)).isEqualTo(sent);
    }

    @Test
    void anActorGetsMoreReplicasAndLosesThemAgain() {
        done(new AdminRequest.ReplicateActor(Cluster.T, now, 4));
        createChunks(now + 1);
        put(now);
        cluster.await(() -> cluster.map().get(now).isr().size() == 4, 90);
        put(now);
        cluster.await(
                () -> cluster.map().get(now).isr().stream()
                        .allMatch(id -> rows(id, now).equals(sent)),
                30);
        assertThat(cluster.map().get(now + 1).isr())
                .as("another chunk keeps its rf")
                .hasSize(2);
        done(new AdminRequest.ReplicateActor(Cluster.T, now, 0));
        cluster.await(() -> cluster.map().get(now).isr().size() == 2, 90);
        put(now);
    }

    @Test
    void aMoveOfAChunkThatExpiresEndsAndLeavesNoFiles() {
        int old = now - 3;
        ServerId to = spare(old);
        cluster.server(to).kill();
        cluster.server(to).start();
        done(new AdminRequest.MoveReplica(Cluster.T, old, cluster.map().get(old).primary(), to));
        cluster.loop.wallStartMillis += HOUR;
        cluster.await(() -> !cluster.map().has(old), 60);
        cluster.await(() -> cluster.servers.keySet().stream().noneMatch(id -> hasFiles(new ServerId(id), old)), 120);
        put(now);
        Outcome<AdminReply> late = ask(new AdminRequest.MoveReplica(
                Cluster.T, old, to, cluster.map().get(now).primary()));
        assertThat(late.error().code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(late.error().reason()).contains("" + old);
        assertThat(ask(new AdminRequest.ReplicateActor(Cluster.T, 7, 3)).error().code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void aDrainedServerHandsItsChunksOverAndGetsNoNewOnes() {
        ServerId drained = cluster.map().get(now).primary();
        done(new AdminRequest.DrainServer(drained, true));
        createChunks(now - 1, now + 1);
        cluster.await(() -> cluster.map().actors().stream().noneMatch(actor -> actor.hasReplicaOn(drained)), 180);
        put(now);
        ServerId primary = cluster.map().get(now).primary();
        cluster.await(() -> rows(primary, now).equals(sent), 20);
    }
}
