package io.uniserve.protocol.coordinator.rebalance;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static io.uniserve.protocol.coordinator.context.TestingCluster.id;
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

/** An operator moves a replica. */
class MoveTest {
    private static final TableName T = new TableName("t");

    private final TestingCluster cluster = new TestingCluster();
    private Node node = cluster.leading(3);

    private void create(int rf) {
        cluster.create(node, TestingCluster.table("t", 1, rf));
        cluster.peer(node, new PeerRequest.EpochStarted(cluster.key("t", 0), actor().epoch(), actor().primary()));
        cluster.loop.run(200 * MILLI);
        assertThat(actor().epochStarted()).isTrue();
    }

    private ActorState actor() {
        return cluster.actor("t", 0);
    }

    private ServerId free() {
        return cluster.servers.values().stream()
                .map(server -> server.id)
                .filter(id -> !actor().hasReplicaOn(id))
                .findFirst()
                .orElseThrow();
    }

    private ServerId follower() {
        return actor().isr().stream()
                .filter(id -> !id.equals(actor().primary()))
                .findFirst()
                .orElseThrow();
    }

    private void move(ServerId from, ServerId to) {
        assertThat(cluster.admin(node, new AdminRequest.MoveReplica(T, 0, from, to)))
                .isEqualTo(new AdminReply.Ack());
        cluster.loop.run(200 * MILLI);
    }

    private void refused(ErrorCode code, String named, int actor, ServerId from, ServerId to) {
        ActorState before = actor();
        UniserveException error = cluster.refused(node, new AdminRequest.MoveReplica(T, actor, from, to));
        assertThat(error.code()).as(error.getMessage()).isEqualTo(code);
        assertThat(error.reason()).contains(named);
        assertThat(actor()).isEqualTo(before);
    }

    @Test
    void aFollowerMovesWithoutTouchingThePrimary() {
        create(2);
        ServerId primary = actor().primary();
        ServerId from = follower();
        ServerId to = free();
        move(from, to);
        assertThat(actor().learners()).containsExactly(to);
        cluster.loop.run(5 * SECOND);
        assertThat(actor().isr()).as("it has not learned yet").containsExactlyInAnyOrder(primary, from);
        cluster.certify(node, "t", 0);
        cluster.loop.run(SECOND);
        assertThat(actor().isr()).containsExactlyInAnyOrder(primary, to);
        assertThat(actor().primary()).isEqualTo(primary);
    }

    @Test
    void thePrimaryMovesOnceItHasHandedOverToOneThatIsDesired() {
        create(2);
        ServerId from = actor().primary();
        ServerId other = follower();
        ServerId to = free();
        move(from, to);
        cluster.certify(node, "t", 0);
        cluster.loop.run(5 * SECOND);
        assertThat(actor().isr()).as("none has all yet").hasSize(3);
        assertThat(actor().primary()).isEqualTo(from);
        cluster.handOver(node, "t", 0, other, to);
        cluster.loop.run(SECOND);
        assertThat(actor().isr()).containsExactlyInAnyOrder(other, to);
        assertThat(actor().primary()).isIn(other, to);
    }

    @Test
    void aSoleReplicaIsNeverTheOneTakenOff() {
        create(1);
        ServerId from = actor().primary();
        ServerId to = free();
        move(from, to);
        cluster.certify(node, "t", 0);
        cluster.loop.run(5 * SECOND);
        assertThat(actor().isr()).containsExactlyInAnyOrder(from, to);
        cluster.handOver(node, "t", 0, to);
        cluster.loop.run(SECOND);
        assertThat(actor().isr()).containsExactly(to);
    }

    @Test
    void anotherLeaderGoesOnWithIt() {
        create(2);
        ServerId from = follower();
        ServerId to = free();
        move(from, to);
        Node second = cluster.coordinator("c2");
        node.registry().expire();
        assertThat(cluster.loop.runUntil(second.machine()::isLeader, 60 * SECOND))
                .isTrue();
        node = second;
        cluster.loop.run(SECOND);
        cluster.certify(node, "t", 0);
        cluster.loop.run(SECOND);
        assertThat(actor().isr()).contains(to).doesNotContain(from).hasSize(2);
    }

    @Test
    void aTargetThatDiesEndsTheMove() {
        create(2);
        ActorState before = actor();
        ServerId to = free();
        move(actor().primary(), to);
        cluster.server(to.value()).kill();
        cluster.loop.run(5 * SECOND);
        assertThat(actor().desiredServers()).containsExactlyInAnyOrderElementsOf(before.isr());
        assertThat(actor().isr()).containsExactlyInAnyOrderElementsOf(before.isr());
        assertThat(actor().learners()).isEmpty();
        assertThat(actor().primary()).isEqualTo(before.primary());
    }

    @Test
    void aReplicaThatDiesMeanwhileIsMadeUpForByTheTarget() {
        create(2);
        ServerId primary = actor().primary();
        ServerId other = follower();
        ServerId to = free();
        move(primary, to);
        cluster.server(other.value()).kill();
        cluster.loop.run(5 * SECOND);
        assertThat(actor().isr()).containsExactly(primary);
        cluster.certify(node, "t", 0);
        cluster.loop.run(5 * SECOND);
        assertThat(actor().isr()).as("rf before movement").containsExactlyInAnyOrder(primary, to);
        assertThat(actor().desiredServers()).containsExactlyInAnyOrder(primary, to);
    }

    @Test
    void askedTheOtherWayRoundItIsCalledOff() {
        create(2);
        ActorState before = actor();
        ServerId from = follower();
        ServerId to = free();
        move(from, to);
        move(from, to);
        move(to, from);
        cluster.loop.run(SECOND);
        assertThat(actor().learners()).isEmpty();
        assertThat(actor().isr()).isEqualTo(before.isr());
        assertThat(actor().desiredServers()).containsExactlyInAnyOrderElementsOf(before.isr());
    }

    @Test
    void whatCannotMoveIsRefusedAndNothingChanges() {
        create(2);
        ServerId from = actor().primary();
        ServerId to = free();
        refused(ErrorCode.INVALID_ARGUMENT, "has actors 0 to 0", 1, from, to);
        refused(ErrorCode.INVALID_ARGUMENT, "has actors 0 to 0", -1, from, to);
        refused(ErrorCode.INVALID_ARGUMENT, "from: ", 0, id("s7"), to);
        refused(ErrorCode.INVALID_ARGUMENT, "a server other than", 0, from, from);
        refused(ErrorCode.INVALID_ARGUMENT, "already", 0, from, follower());
        refused(ErrorCode.INVALID_ARGUMENT, "no live server", 0, from, id("s9"));
        assertThat(cluster.refused(node, new AdminRequest.MoveReplica(new TableName("u"), 0, from, to))
                        .code())
                .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        cluster.peer(
                node, new PeerRequest.Draining(to, cluster.server(to.value()).incarnation()));
        refused(ErrorCode.INVALID_ARGUMENT, "drained", 0, from, to);
    }

    @Test
    void oneMoveOfAnActorAtATime() {
        cluster.server("s4").start();
        cluster.loop.run(SECOND);
        create(2);
        ServerId from = follower();
        ServerId primary = actor().primary();
        move(from, free());
        refused(ErrorCode.UNAVAILABLE, "is not settled", 0, primary, free());
    }
}
