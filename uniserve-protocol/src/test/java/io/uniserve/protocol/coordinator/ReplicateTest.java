package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerRequest;
import org.junit.jupiter.api.Test;

/** An operator requests more replicas of an actor than its table's rf. */
class ReplicateTest {
    private static final TableName T = new TableName("t");

    private final TestingCluster cluster = new TestingCluster();
    private Node node = cluster.leading(4);

    private void create(int rf) {
        cluster.create(node, TestingCluster.table("t", 2, rf));
        for (int i = 0; i < 2; i++) {
            ActorState actor = cluster.actor("t", i);
            cluster.peer(node, new PeerRequest.EpochStarted(cluster.key("t", i), actor.epoch(), actor.primary()));
        }
        cluster.loop.run(200 * MILLI);
        assertThat(actor().epochStarted()).isTrue();
    }

    private ActorState actor() {
        return cluster.actor("t", 0);
    }

    private void wish(int copies) {
        assertThat(cluster.admin(node, new AdminRequest.ReplicateActor(T, 0, copies)))
                .isEqualTo(new AdminReply.Ack());
        cluster.loop.run(200 * MILLI);
    }

    /** Certifies every learner, one after the other. */
    private void certifyAll() {
        while (!actor().learners().isEmpty()) {
            cluster.certify(node, "t", 0);
            cluster.loop.run(SECOND);
        }
    }

    private void refused(String named, int actor, int copies) {
        ActorState before = actor();
        UniserveException error = cluster.refused(node, new AdminRequest.ReplicateActor(T, actor, copies));
        assertThat(error.code()).as(error.getMessage()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(error.reason()).contains(named);
        assertThat(actor()).isEqualTo(before);
    }

    @Test
    void moreReplicasLearnAtOnceAndThePrimaryStays() {
        create(1);
        ActorState before = actor();
        ActorState other = cluster.actor("t", 1);
        wish(3);
        assertThat(actor().learners()).as("without the restore delay").hasSize(2);
        assertThat(actor().desiredServers()).hasSize(3).contains(before.primary());
        certifyAll();
        assertThat(actor().isr()).hasSize(3).containsExactlyInAnyOrderElementsOf(actor().desiredServers());
        assertThat(actor().primary()).isEqualTo(before.primary());
        assertThat(cluster.actor("t", 1)).as("another actor").isEqualTo(other);
        ActorState settled = actor();
        wish(3);
        cluster.loop.run(5 * SECOND);
        assertThat(actor()).as("repeated").isEqualTo(settled);
    }

    @Test
    void fewerReplicasGoAndThePrimaryStays() {
        create(2);
        wish(4);
        certifyAll();
        assertThat(actor().isr()).hasSize(4);
        ServerId primary = actor().primary();
        wish(0);
        cluster.loop.run(5 * SECOND);
        assertThat(actor().isr()).hasSize(2).contains(primary);
        assertThat(actor().desiredServers()).containsExactlyInAnyOrderElementsOf(actor().isr());
        assertThat(actor().primary()).isEqualTo(primary);
        assertThat(actor().copies()).isZero();
        ActorState settled = actor();
        cluster.loop.run(60 * SECOND);
        assertThat(actor().isr()).as("nothing comes back").isEqualTo(settled.isr());
    }

    @Test
    void calledOffWhileTheyLearn() {
        create(1);
        ActorState before = actor();
        wish(4);
        wish(1);
        cluster.loop.run(5 * SECOND);
        assertThat(actor().learners()).isEmpty();
        assertThat(actor().isr()).isEqualTo(before.isr());
        assertThat(actor().desiredServers()).isEqualTo(before.isr());
        assertThat(actor().copies()).isZero();
    }

    @Test
    void aLostReplicaIsReplacedWhenThereIsAServerAndIsNotMissingUntilThen() {
        create(1);
        wish(4);
        certifyAll();
        ServerId lost = actor().isr().stream()
                .filter(id -> !id.equals(actor().primary()))
                .findFirst()
                .orElseThrow();
        cluster.server(lost.value()).kill();
        cluster.loop.run(30 * SECOND);
        assertThat(actor().isr()).hasSize(3).doesNotContain(lost);
        assertThat(actor().isOnDesiredServers()).as("nothing is on its way").isTrue();
        assertThat(actor().copies()).isEqualTo(4);
        cluster.server(lost.value()).start();
        cluster.loop.run(60 * SECOND);
        assertThat(actor().learners()).containsExactly(lost);
        certifyAll();
        assertThat(actor().isr()).hasSize(4);
    }

    @Test
    void aServerThatIsDrainedGivesItsCopyUp() {
        create(1);
        wish(4);
        certifyAll();
        ServerId leaving = actor().isr().stream()
                .filter(id -> !id.equals(actor().primary()))
                .findFirst()
                .orElseThrow();
        assertThat(cluster.admin(node, new AdminRequest.DrainServer(leaving, true)))
                .isEqualTo(new AdminReply.Ack());
        cluster.loop.run(5 * SECOND);
        assertThat(actor().isr()).hasSize(3).doesNotContain(leaving);
        assertThat(actor().isOnDesiredServers()).isTrue();
    }

    @Test
    void anotherLeaderGoesOnWithIt() {
        create(1);
        wish(3);
        Node second = cluster.coordinator("c2");
        node.registry().expire();
        assertThat(cluster.loop.runUntil(second.machine()::isLeader, 60 * SECOND))
                .isTrue();
        node = second;
        cluster.loop.run(SECOND);
        certifyAll();
        assertThat(actor().isr()).hasSize(3);
    }

    @Test
    void whatCannotBeIsRefusedAndNothingChanges() {
        create(2);
        refused("has actors 0 to 1", 2, 3);
        refused("has actors 0 to 1", -1, 3);
        refused("use 2, the table's rf, to 16", 0, 1);
        refused("use 2, the table's rf, to 16", 0, 17);
        refused("use 2, the table's rf, to 16", 0, -1);
        refused("only 4 live servers", 0, 5);
        assertThat(cluster.refused(node, new AdminRequest.ReplicateActor(new TableName("u"), 0, 3))
                        .code())
                .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }
}
