package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.coordinator.CoordinatorStateMachine;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.server.config.Cluster;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A drained server loses nothing, not even updates that it alone had acknowledged. */
class ServerDrainTest {
    private static final long SECOND = Cluster.SECOND;

    private final List<String> events = new ArrayList<>();

    private void drain(Cluster cluster, ServerId server) {
        cluster.server(server).machine().drain(outcome -> events.add("drained"));
    }

    @Test
    void handsOverOnlyToAMemberThatHasEverything() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        ActorState before = cluster.actor(0);
        ServerId old = before.primary();
        ServerId other =
                before.isr().stream().filter(id -> !id.equals(old)).findFirst().orElseThrow();
        cluster.update(AckLevel.ISR, "a");
        cluster.network.stop(new Address(other.value(), 8000));
        assertThat(cluster.ack(cluster.send(cluster.nextId(), AckLevel.PRIMARY, "tail"))
                        .index())
                .isPositive();
        drain(cluster, old);
        cluster.loop.run(SECOND / 2);
        cluster.network.serve(
                new Address(other.value(), 8000), cluster.server(other).machine()::onPeer);
        cluster.await(() -> !events.isEmpty(), 40);
        assertThat(cluster.actor(0).isr()).containsExactly(other);
        cluster.server(old).kill();
        cluster.loop.run(5 * SECOND);
        assertThat(cluster.server(other).engine().rows(cluster.key(0))).hasSize(2);
    }

    @Test
    void updatesUnderWayDuringADrainAllArrive() {
        Cluster cluster = new Cluster(3);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        for (int round = 0; round < 4; round++) {
            ServerId old = cluster.actor(0).primary();
            events.clear();
            drain(cluster, old);
            for (int i = 0; i < 10; i++) {
                cluster.update(AckLevel.PRIMARY, "row " + round + "." + i);
            }
            cluster.await(() -> !events.isEmpty(), 40);
            cluster.server(old).kill();
            cluster.server(old).start();
            cluster.converge(0, 2);
            assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(10 * round + 10);
        }
    }

    @Test
    void theOnlyCopyIsElsewhereBeforeTheDrainEnds() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        cluster.await(() -> cluster.clean(0), 20);
        ServerId old = cluster.actor(0).primary();
        drain(cluster, old);
        cluster.await(() -> !events.isEmpty(), 40);
        assertThat(cluster.actor(0).isr()).doesNotContain(old);
        cluster.server(old).kill();
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(1);
        cluster.update(AckLevel.ISR, "b");
    }

    @Test
    void theLastServerDoesNotWait() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        cluster.update(AckLevel.ISR, "a");
        long before = cluster.loop.nanos();
        drain(cluster, cluster.actor(0).primary());
        cluster.await(() -> !events.isEmpty(), 40);
        assertThat(cluster.loop.nanos() - before).isLessThan(10 * SECOND);
    }

    @Test
    void withoutACoordinatorTheDrainEndsAndUpdatesGoOn() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.network.stop(new Address("c1", 7000));
        drain(cluster, cluster.actor(0).primary());
        int taken = 0;
        for (int i = 0; i < 14; i++) {
            cluster.loop.run(SECOND);
            if (cluster.outcomeOf(cluster.send(cluster.nextId(), AckLevel.ISR, "r" + i)) == null) {
                taken++;
            }
        }
        assertThat(taken).as("updates taken between attempts to hand over").isPositive();
        cluster.await(() -> !events.isEmpty(), 40);
    }

    @Test
    void whileItHandsOverUpdatesAreToTryAgain() {
        Cluster cluster = new Cluster(2);
        cluster.create(1, 2, 1, OnLoss.WAIT);
        cluster.network.stop(new Address("c1", 7000));
        drain(cluster, cluster.actor(0).primary());
        cluster.loop.run(SECOND);
        assertThat(cluster.failure(cluster.send(cluster.nextId(), AckLevel.ISR, "a"))
                        .code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
    }

    private static void awaitNoReplicaOn(Cluster cluster, ServerId server) {
        cluster.await(() -> cluster.map().actors().stream().noneMatch(actor -> actor.hasReplicaOn(server)), 60);
    }

    private boolean leads(Cluster cluster, ServerId server) {
        return cluster.map().actors().stream().anyMatch(actor -> actor.primary().equals(server));
    }

    @Test
    void aServerThatLeavesHandsItsPrimariesOverFirst() {
        Cluster cluster = new Cluster(3);
        cluster.create(12, 2, 1, OnLoss.WAIT);
        cluster.update(AckLevel.PRIMARY, "a");
        ServerId old = cluster.actor(0).primary();
        // no learner gets anything: only in-sync replicas can take over
        cluster.network.lose((to, request) -> request instanceof PeerRequest.LearnerCaughtUp);
        cluster.server(old).machine().leave();
        cluster.await(() -> !leads(cluster, old), 5);
        assertThat(cluster.map().actors()).anyMatch(actor -> actor.isr().contains(old));
        cluster.update(AckLevel.ISR, "b");
        cluster.network.lose((to, request) -> false);
        awaitNoReplicaOn(cluster, old);
        cluster.server(old).kill();
        cluster.loop.run(5 * SECOND);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(2);
    }

    @Test
    void aServerThatLeavesGetsNothingBackAndMayStillStopBySignal() {
        Cluster cluster = new Cluster(3);
        cluster.create(4, 2, 1, OnLoss.WAIT);
        ServerId old = cluster.actor(0).primary();
        cluster.server(old).machine().leave();
        awaitNoReplicaOn(cluster, old);
        cluster.loop.run(120 * SECOND); // longer than server.drain-timeout
        TableName other = new TableName("u");
        cluster.create(other, 6, 2, 1, OnLoss.WAIT, ConsistencyLevel.EVENTUAL);
        assertThat(cluster.map(other).actors()).noneMatch(actor -> actor.hasReplicaOn(old));
        assertThat(cluster.server(old).machine().missingConditions()).containsExactly("it drains");
        drain(cluster, old);
        cluster.await(() -> !events.isEmpty(), 5);
    }

    @Test
    void aServerThatLeavesRepeatsItsReportUntilALeaderHasIt() {
        Cluster cluster = new Cluster(3);
        cluster.create(4, 2, 1, OnLoss.WAIT);
        ServerId old = cluster.actor(0).primary();
        cluster.network.lose((to, request) ->
                request instanceof PeerRequest.Draining && to.host().equals("c1"));
        cluster.server(old).machine().leave();
        cluster.loop.run(70 * SECOND); // longer than server.drain-timeout
        assertThat(leads(cluster, old)).isTrue();
        CoordinatorStateMachine second = cluster.standby("c2");
        cluster.coordinatorRegistry.expire();
        cluster.await(second::isLeader, 30);
        cluster.await(() -> !leads(cluster, old), 10);
        awaitNoReplicaOn(cluster, old);
    }

    @Test
    void theLastServerThatLeavesGoesOn() {
        Cluster cluster = new Cluster(1);
        cluster.create(1, 1, 1, OnLoss.WAIT);
        ServerId only = cluster.actor(0).primary();
        cluster.server(only).machine().leave();
        cluster.loop.run(20 * SECOND);
        cluster.update(AckLevel.ISR, "a");
        cluster.server("s2").start();
        cluster.await(() -> !cluster.actor(0).hasReplicaOn(only), 60);
        assertThat(cluster.primary(0).engine().rows(cluster.key(0))).hasSize(1);
    }
}
