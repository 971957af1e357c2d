package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.PeerRequest;
import org.junit.jupiter.api.Test;

class DrainTest {
    private final TestingCluster cluster = new TestingCluster();

    private void drain(Node node, String server) {
        cluster.peer(
                node,
                new PeerRequest.Draining(
                        TestingCluster.id(server), cluster.server(server).incarnation()));
    }

    @Test
    void aDrainingServerGivesItsPrimariesAwayAtOnceAndItsReplicasWhenOthersAreInSync() {
        Node node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 3, 2));
        ServerId leaving = TestingCluster.id("s1");
        drain(node, "s1");
        cluster.loop.run(200 * MILLI);
        ActorState led = cluster.map("t").actors().stream()
                .filter(a -> a.primary().equals(leaving))
                .findFirst()
                .orElseThrow();
        cluster.loop.run(5 * SECOND);
        assertThat(cluster.actor("t", led.actor()).primary())
                .as("no replica has all entries yet")
                .isEqualTo(leaving);
        ServerId other =
                led.isr().stream().filter(id -> !id.equals(leaving)).findFirst().orElseThrow();
        cluster.handOver(node, "t", led.actor(), other);
        cluster.loop.run(200 * MILLI);
        assertThat(cluster.actor("t", led.actor()).primary()).isEqualTo(other);
        assertThat(cluster.map("t").actors()).anyMatch(a -> a.isr().contains(leaving));
        for (ActorState actor : cluster.map("t").actors()) {
            if (!actor.learners().isEmpty()) {
                cluster.certify(node, "t", actor.actor());
            }
        }
        cluster.loop.run(SECOND);
        assertThat(cluster.map("t").actors()).allSatisfy(actor -> {
            assertThat(actor.hasReplicaOn(leaving)).isFalse();
            assertThat(actor.isr()).hasSize(2);
        });
    }

    @Test
    void aSingleCopyMovesBeforeTheServerLetsGo() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 1, 1));
        ServerId leaving = cluster.actor("t", 0).primary();
        drain(node, leaving.value());
        cluster.loop.run(200 * MILLI);
        assertThat(cluster.actor("t", 0).primary()).isEqualTo(leaving);
        assertThat(cluster.actor("t", 0).learners()).hasSize(1);
        cluster.certify(node, "t", 0);
        cluster.loop.run(SECOND);
        ServerId next = cluster.actor("t", 0).isr().stream()
                .filter(id -> !id.equals(leaving))
                .findFirst()
                .orElseThrow();
        cluster.handOver(node, "t", 0, next);
        cluster.loop.run(SECOND);
        assertThat(cluster.actor("t", 0).isr()).hasSize(1).doesNotContain(leaving);
    }

    @Test
    void whereRfCannotBeKeptOneOtherMemberIsEnough() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 2, 2));
        drain(node, "s1");
        cluster.handOver(node, "t", 0, TestingCluster.id("s2"));
        cluster.loop.run(SECOND);
        assertThat(cluster.map("t").actors())
                .allSatisfy(a -> assertThat(a.isr()).containsExactly(TestingCluster.id("s2")));
    }

    @Test
    void theLastServerKeepsEverything() {
        Node node = cluster.leading(1);
        cluster.create(node, TestingCluster.table("t", 2, 1));
        drain(node, "s1");
        cluster.loop.run(5 * SECOND);
        assertThat(cluster.map("t").actors())
                .allSatisfy(a -> assertThat(a.isr()).containsExactly(TestingCluster.id("s1")));
    }

    @Test
    void aLateDrainOfAnEarlierIncarnationIsIgnored() {
        Node node = cluster.leading(2);
        cluster.create(node, TestingCluster.table("t", 2, 2));
        TestingServer server = cluster.server("s1");
        cluster.peer(node, new PeerRequest.Draining(server.id, server.incarnation() - 1));
        cluster.loop.run(SECOND);
        assertThat(cluster.map("t").actors())
                .allSatisfy(a -> assertThat(a.isr()).hasSize(2));
    }
}
