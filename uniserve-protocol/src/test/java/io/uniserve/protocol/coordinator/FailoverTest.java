package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailoverTest {
    private final TestingCluster cluster = new TestingCluster();

    @Test
    void anInSyncReplicaOfADeadPrimaryIsPromotedInANewEpoch() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 4, 2));
        cluster.server("s1").kill();
        cluster.loop.run(100 * MILLI);
        for (ActorState actor : cluster.map("t").actors()) {
            assertThat(actor.primary()).isEqualTo(TestingCluster.id("s2"));
            assertThat(actor.isr()).containsExactly(TestingCluster.id("s2"));
            assertThat(actor.epoch()).isEqualTo(2);
            assertThat(actor.fencing()).containsExactly(new Fencing(TestingCluster.id("s1"), 2));
        }
        assertThat(cluster.store.read("/tables/t/map").version())
                .as("one write for the whole table")
                .isEqualTo(1);
    }

    /** Followers may have entries of its epoch that it lacks. */
    @Test
    void aPrimaryThatLogsNothingMoreLeadsTheNextEpoch() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        ActorState before = cluster.actor("t", 0);
        PeerRequest.RequestNewEpoch renew =
                new PeerRequest.RequestNewEpoch(cluster.key("t", 0), before.epoch(), before.primary());
        cluster.peer(node, renew);
        cluster.loop.run(100 * MILLI);
        ActorState after = cluster.actor("t", 0);
        assertThat(after.epoch()).isEqualTo(before.epoch() + 1);
        assertThat(after.primary()).isEqualTo(before.primary());
        assertThat(after.isr()).isEqualTo(before.isr());
        assertThat(after.fencing()).isEmpty();
        cluster.peer(node, renew);
        cluster.loop.run(SECOND);
        assertThat(cluster.actor("t", 0)).as("said twice").isEqualTo(after);
    }

    @Test
    void primariesOfADeadServerAreSpread() {
        Node node = cluster.leading(4);
        cluster.create(node, TestingCluster.table("t", 24, 2));
        cluster.server("s1").kill();
        cluster.loop.run(100 * MILLI);
        for (String name : List.of("s2", "s3", "s4")) {
            ServerId id = TestingCluster.id(name);
            long primaries = cluster.map("t").actors().stream()
                    .filter(a -> a.primary().equals(id))
                    .count();
            assertThat(primaries).isBetween(7L, 9L);
        }
    }

    @Test
    void aReplicaIsRestoredElsewhereAfterTheDelayAndCertified() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        ActorState before = cluster.actor("t", 0);
        cluster.server(before.isr().get(1).value()).kill();
        cluster.loop.run(SECOND);
        assertThat(cluster.actor("t", 0).learners()).isEmpty();
        cluster.loop.run(3 * SECOND);
        ActorState learning = cluster.actor("t", 0);
        assertThat(learning.learners()).hasSize(1).doesNotContain(before.isr().get(1));
        assertThat(learning.epoch()).as("a learner alone needs no epoch").isEqualTo(2);
        cluster.certify(node, "t", 0);
        ActorState after = cluster.actor("t", 0);
        assertThat(after.isr()).hasSize(2).contains(learning.learners().get(0));
        assertThat(after.learners()).isEmpty();
        assertThat(after.epoch()).isEqualTo(3);
    }

    @Test
    void aServerThatComesBackSoonLearnsAgain() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        TestingServer follower =
                cluster.server(cluster.actor("t", 0).isr().get(1).value());
        follower.kill();
        cluster.loop.run(SECOND);
        follower.start();
        cluster.loop.run(100 * MILLI);
        assertThat(cluster.actor("t", 0).learners()).containsExactly(follower.id);
        cluster.certify(node, "t", 0);
        assertThat(cluster.actor("t", 0).isr()).hasSize(2).contains(follower.id);
        assertThat(cluster.actor("t", 0).fencing()).isEmpty();
    }

    @Test
    void aCertificateOfAnotherEpochOrPrimaryIsIgnored() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        cluster.server(cluster.actor("t", 0).isr().get(1).value()).kill();
        cluster.loop.run(4 * SECOND);
        ActorState state = cluster.actor("t", 0);
        ServerId learner = state.learners().get(0);
        long incarnation = cluster.server(learner.value()).incarnation();
        for (long epoch : new long[] {state.epoch() - 1, state.epoch() + 1}) {
            cluster.peer(
                    node,
                    new PeerRequest.LearnerCaughtUp(cluster.key("t", 0), epoch, state.primary(), learner, incarnation));
        }
        cluster.peer(
                node,
                new PeerRequest.LearnerCaughtUp(cluster.key("t", 0), state.epoch(), learner, learner, incarnation));
        cluster.peer(
                node,
                new PeerRequest.LearnerCaughtUp(
                        cluster.key("t", 0), state.epoch(), state.primary(), TestingCluster.id("s9"), incarnation));
        cluster.loop.run(SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(state);
    }

    @Test
    void aCertificateOfTheLearnersLastLifeIsIgnored() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        cluster.server(cluster.actor("t", 0).isr().get(1).value()).kill();
        cluster.loop.run(4 * SECOND);
        ServerId learner = cluster.actor("t", 0).learners().get(0);
        PeerRequest late = cluster.certified("t", 0, learner);
        cluster.server(learner.value()).kill();
        cluster.server(learner.value()).start(); // perhaps with an empty disk
        cluster.loop.run(SECOND);
        ActorState state = cluster.actor("t", 0);
        assertThat(state.learners()).containsExactly(learner);
        cluster.peer(node, late);
        cluster.loop.run(SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(state);
        cluster.certify(node, "t", 0);
        assertThat(cluster.actor("t", 0).isr()).contains(learner);
    }

    @Test
    void aDeadLearnerIsTakenOffInANewEpoch() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        cluster.server(cluster.actor("t", 0).isr().get(1).value()).kill();
        cluster.loop.run(4 * SECOND);
        ActorState learning = cluster.actor("t", 0);
        ServerId learner = learning.learners().get(0);
        cluster.server(learner.value()).kill();
        cluster.loop.run(100 * MILLI);
        assertThat(cluster.actor("t", 0).learners()).isEmpty();
        assertThat(cluster.actor("t", 0).epoch()).isEqualTo(learning.epoch() + 1);
        cluster.peer(
                node,
                new PeerRequest.LearnerCaughtUp(
                        cluster.key("t", 0),
                        learning.epoch(),
                        learning.primary(),
                        learner,
                        cluster.server(learner.value()).incarnation()));
        assertThat(cluster.actor("t", 0).isr()).doesNotContain(learner);
    }

    @Test
    void fencedReplicasAreForgottenWhenThePrimaryOfThisEpochSaysSo() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        ServerId dead = cluster.actor("t", 0).isr().get(1);
        cluster.server(dead.value()).kill();
        cluster.loop.run(100 * MILLI);
        cluster.peer(node, new PeerRequest.ReplicasFenced(cluster.key("t", 0), 1, List.of(dead)));
        assertThat(cluster.actor("t", 0).fencing()).hasSize(1);
        cluster.peer(node, new PeerRequest.ReplicasFenced(cluster.key("t", 0), 2, List.of(dead)));
        assertThat(cluster.actor("t", 0).fencing()).isEmpty();
        assertThat(cluster.actor("t", 0).epoch()).isEqualTo(2);
    }

    @Test
    void anUnfitMemberLeavesButTheLastNever() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        ActorState state = cluster.actor("t", 0);
        cluster.peer(node, new PeerRequest.ReportUnhealthy(cluster.key("t", 0), 1, state.primary(), "bad log", true));
        ActorState after = cluster.actor("t", 0);
        assertThat(after.primary()).isEqualTo(state.isr().get(1));
        assertThat(after.isr()).containsExactly(after.primary());
        cluster.peer(node, new PeerRequest.ReportUnhealthy(cluster.key("t", 0), 2, after.primary(), "bad log", true));
        assertThat(cluster.actor("t", 0).isr()).containsExactly(after.primary());
    }

    @Test
    void aServerOnWhichAReplicaFailsAgainAndAgainIsNotWaitedFor() {
        cluster.restoreDelayNanos = 60 * SECOND;
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        ServerId failing = cluster.actor("t", 0).isr().get(1);
        for (int failures = 1; failures <= 3; failures++) {
            long epoch = cluster.actor("t", 0).epoch();
            cluster.peer(
                    node, new PeerRequest.ReportUnhealthy(cluster.key("t", 0), epoch, failing, "engine hangs", false));
            cluster.loop.run(40 * SECOND);
            List<ServerId> learners = cluster.actor("t", 0).learners();
            assertThat(learners).isEqualTo(failures < 3 ? List.of(failing) : List.of());
        }
        cluster.loop.run(30 * SECOND);
        assertThat(cluster.actor("t", 0).learners()).hasSize(1).doesNotContain(failing);
    }

    @Test
    void withNobodyLeftTheFirstToComeBackIsPromoted() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 1, 2));
        ActorState before = cluster.actor("t", 0);
        cluster.server("s1").hang();
        cluster.server("s2").hang();
        cluster.server("s1").kill();
        cluster.server("s2").kill();
        cluster.loop.run(30 * SECOND);
        assertThat(cluster.actor("t", 0)).isEqualTo(before);
        TestingServer back = cluster.server(before.isr().get(1).value());
        back.start();
        cluster.loop.run(SECOND);
        assertThat(cluster.actor("t", 0).primary()).isEqualTo(back.id);
        assertThat(cluster.actor("t", 0).isr()).containsExactly(back.id);
    }

    @Test
    void aNewLeaderGoesOnWhereTheOldOneStopped() {
        Node first = cluster.leading(3);
        cluster.create(first, TestingCluster.table("t", 2, 2));
        Node second = cluster.coordinator("c2");
        cluster.loop.run(SECOND);
        cluster.server("s1").kill();
        first.machine().stop();
        cluster.loop.run(10 * SECOND);
        assertThat(second.machine().isLeader()).isTrue();
        assertThat(cluster.map("t").actors()).allSatisfy(actor -> {
            assertThat(actor.hasReplicaOn(TestingCluster.id("s1"))).isFalse();
            assertThat(actor.isr().size() + actor.learners().size()).isEqualTo(2);
        });
    }

    @Test
    void aWriteOfUnknownOutcomeIsReadAgainAndNotDoneTwice() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 2, 2));
        node.registry().loseNextAnswer();
        cluster.server("s1").kill();
        cluster.loop.run(SECOND);
        assertThat(cluster.map("t").actors()).extracting(ActorState::epoch).containsOnly(2L);
        cluster.server("s1").start();
        cluster.loop.run(SECOND);
        node.registry().loseNextWrite();
        cluster.certify(node, "t", 0);
        cluster.loop.run(SECOND);
        assertThat(cluster.actor("t", 0).isr()).hasSize(2);
        assertThat(cluster.actor("t", 0).epoch()).isEqualTo(3);
    }
}
