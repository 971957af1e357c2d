package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.server.config.Cluster;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Updates whose function fails. They are refused in the log if every replica can get that entry; otherwise they are retried for ever. */
class PoisonTest {
    private static final long SECOND = Cluster.SECOND;

    private static long built(Cluster cluster) {
        return Objects.requireNonNull(cluster.primary(0).gates.get(cluster.key(0)))
                .builtNanos();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void itIsNeverAcknowledgedAndEpochsGrowSlowly(int rf) {
        Cluster cluster = new Cluster(3);
        cluster.create(1, rf, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        long epoch = cluster.actor(0).epoch();
        assertThat(cluster.outcomeOf(cluster.send(cluster.nextId(), AckLevel.ISR, "poison")))
                .isNotNull();
        cluster.loop.run(1_800 * SECOND);
        assertThat(cluster.actor(0).epoch() - epoch).isLessThan(25);
        assertThat(cluster.servers.values()).allSatisfy(host -> {
            assertThat(host.fatal).isEmpty();
            assertThat(host.engine().builds()).isLessThan(400);
        });
    }

    @ParameterizedTest
    @CsvSource({"1, PRIMARY", "1, ISR", "2, PRIMARY", "2, ISR", "3, ISR"})
    void itIsRefusedAndTheActorGoesOn(int rf, AckLevel level) {
        Cluster cluster = new Cluster(3);
        cluster.create(1, rf, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        long epoch = cluster.actor(0).epoch();
        long built = built(cluster);
        RequestId id = cluster.nextId();
        ActorFailure failure = cluster.failure(cluster.send(id, level, "poison"));
        assertThat(failure.code()).isEqualTo(ErrorCode.UPDATE_REFUSED);
        assertThat(built(cluster)).isGreaterThan(built);
        assertThat(failure.message()).contains("poison");
        assertThat(cluster.update(AckLevel.ISR, "b")).isEqualTo(4);
        assertThat(cluster.actor(0).epoch()).isEqualTo(epoch);
        assertThat(cluster.failure(cluster.send(id, level, "poison"))).isEqualTo(failure);
        assertThat(cluster.failure(cluster.send(id, level, "other")).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        cluster.converge(0, rf);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).containsExactly("2=a", "4=b");
        assertThat(cluster.primary(0).disk.files(cluster.key(0) + "/rollback/")).isEmpty();
    }

    @Test
    void everyReplicaAndEveryLaterStartKnowsTheRefusal() {
        Cluster cluster = new Cluster(3, 3);
        cluster.create(1, 3, 1, OnLoss.WAIT);
        RequestId id = cluster.nextId();
        ActorFailure failure = cluster.failure(cluster.send(id, AckLevel.ISR, "poison"));
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < 2 * round; i++) {
                cluster.update(AckLevel.ISR, "r" + round + "-" + i); // with and without a checkpoint that has it
            }
            Host old = cluster.primary(0);
            ServerId before = cluster.actor(0).primary();
            old.kill();
            cluster.await(() -> !cluster.actor(0).primary().equals(before), 20);
            cluster.update(AckLevel.ISR, "after " + round);
            assertThat(cluster.failure(cluster.send(id, AckLevel.ISR, "poison")).message())
                    .isEqualTo(failure.message());
            old.start();
            cluster.converge(0, 3);
        }
        cluster.servers.values().forEach(Host::kill);
        cluster.servers.values().forEach(Host::start);
        cluster.update(AckLevel.ISR, "last");
        assertThat(cluster.failure(cluster.send(id, AckLevel.ISR, "poison")).message())
                .isEqualTo(failure.message());
        cluster.converge(0, 3);
    }

    @Test
    void updatesBehindItAreTakenInTheEnd() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        List<Outcome<UpdateReply>> first = cluster.send(cluster.nextId(), AckLevel.PRIMARY, "a");
        List<Outcome<UpdateReply>> poison = cluster.send(cluster.nextId(), AckLevel.PRIMARY, "poison");
        List<Outcome<UpdateReply>> behind = cluster.send(cluster.nextId(), AckLevel.PRIMARY, "c");
        assertThat(cluster.ack(first).index()).isEqualTo(2);
        assertThat(cluster.failure(poison).code()).isEqualTo(ErrorCode.UPDATE_REFUSED);
        assertThat(cluster.failure(behind).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(cluster.update(AckLevel.ISR, "c")).isEqualTo(4);
        cluster.converge(0, 2);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).containsExactly("2=a", "4=c");
    }

    @Test
    void whatAServerLacksIsNoReasonToRefuse() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.primary(0).engine().failApplies(6, ErrorCode.DISK_FULL);
        RequestId id = cluster.nextId();
        cluster.send(id, AckLevel.ISR, "b");
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.ack(cluster.send(id, AckLevel.ISR, "b")).index()).isEqualTo(2);
    }

    @Test
    void whatMayHaveBeenAcknowledgedIsNeverRefused() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        Host server = cluster.primary(0);
        server.kill();
        server.start();
        server.engine().failApplies(1_000_000);
        cluster.loop.run(300 * SECOND);
        assertThat(server.engine().rows(cluster.key(0))).isEmpty();
        server.engine().failApplies(0);
        cluster.update(AckLevel.ISR, "b");
        assertThat(server.engine().rows(cluster.key(0))).anyMatch(row -> row.endsWith("=a"));
    }

    @Test
    void aFailureOfAFollowerAloneIsItsOwn() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        ServerId follower = cluster.actor(0).isr().stream()
                .filter(id -> !id.equals(cluster.actor(0).primary()))
                .findFirst()
                .orElseThrow();
        cluster.server(follower).engine().failApplies(20);
        cluster.update(AckLevel.ISR, "a");
        cluster.update(AckLevel.ISR, "b");
        cluster.loop.run(120 * SECOND);
        cluster.converge(0, 2);
        assertThat(cluster.server(follower).engine().rows(cluster.key(0))).hasSize(2);
    }

    @Test
    void otherActorsGoOn() {
        Cluster cluster = new Cluster(2);
        cluster.create(2, 2, 1, OnLoss.WAIT);
        cluster.send(cluster.nextId(), AckLevel.ISR, "poison");
        cluster.loop.run(60 * SECOND);
        assertThat(cluster.primary(1).serving(cluster.key(1))).isTrue();
    }
}
