package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static io.uniserve.protocol.coordinator.context.TestingCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An operator drains a server that continues to run. */
class DrainServerTest {
    private final TestingCluster cluster = new TestingCluster();
    private Node node = cluster.leading(3);

    private void drain(String server, boolean wanted) {
        assertThat(cluster.admin(node, new AdminRequest.DrainServer(id(server), wanted)))
                .isEqualTo(new AdminReply.Ack());
        cluster.loop.run(200 * MILLI);
    }

    private List<ServerId> drained() {
        return ((ClusterStatus) cluster.admin(node, new AdminRequest.Status())).drained();
    }

    private void refused(String named, String server) {
        Object before = cluster.store.value(RegistryPaths.CLUSTER);
        UniserveException error = cluster.refused(node, new AdminRequest.DrainServer(id(server), true));
        assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(error.reason()).contains(named);
        assertThat(cluster.store.value(RegistryPaths.CLUSTER)).isEqualTo(before);
    }

    /** Certifies learners and hands over primaries until nothing changes. */
    private void settle() {
        for (int i = 0; i < 20; i++) {
            for (ActorState actor : cluster.map("t").actors()) {
                if (!actor.learners().isEmpty()) {
                    cluster.certify(node, "t", actor.actor());
                }
                ActorState now = cluster.actor("t", actor.actor());
                if (!now.desiredServers().contains(now.primary()) && now.isr().containsAll(now.desiredServers())) {
                    cluster.handOver(
                            node, "t", now.actor(), now.desiredServers().toArray(ServerId[]::new));
                }
            }
            cluster.loop.run(300 * MILLI);
        }
    }

    @Test
    void allReplicasMoveAndNoneComesBackUntilItIsTakenBack() {
        cluster.create(node, TestingCluster.table("t", 6, 2));
        drain("s1", true);
        settle();
        assertThat(cluster.map("t").actors()).allSatisfy(actor -> {
            assertThat(actor.hasReplicaOn(id("s1"))).isFalse();
            assertThat(actor.isr()).hasSize(2);
        });
        cluster.create(node, TestingCluster.table("u", 4, 2));
        assertThat(cluster.map("u").actors()).noneMatch(actor -> actor.hasReplicaOn(id("s1")));
        assertThat(drained()).containsExactly(id("s1"));
        drain("s1", true);
        drain("s1", false);
        assertThat(drained()).isEmpty();
        cluster.admin(node, new AdminRequest.DropTable(new TableName("u")));
        cluster.create(node, TestingCluster.table("u", 6, 2));
        assertThat(cluster.map("u").actors()).anyMatch(actor -> actor.hasReplicaOn(id("s1")));
    }

    @Test
    void anotherLeaderKnowsIt() {
        cluster.create(node, TestingCluster.table("t", 3, 2));
        drain("s2", true);
        Node second = cluster.coordinator("c2");
        node.registry().expire();
        assertThat(cluster.loop.runUntil(second.machine()::isLeader, 60 * SECOND))
                .isTrue();
        node = second;
        cluster.loop.run(SECOND);
        settle();
        assertThat(cluster.map("t").actors()).noneMatch(actor -> actor.hasReplicaOn(id("s2")));
        assertThat(drained()).containsExactly(id("s2"));
    }

    @Test
    void aServerDiesMeanwhileAndNoCopyIsGivenUpForTheDrain() {
        cluster.create(node, TestingCluster.table("t", 4, 2));
        drain("s1", true);
        cluster.server("s2").kill();
        cluster.loop.run(5 * SECOND);
        settle();
        assertThat(cluster.map("t").actors())
                .as("two servers are left, one of them drained")
                .allSatisfy(actor -> {
                    assertThat(actor.isr()).doesNotContain(id("s2"));
                    assertThat(actor.isr()).hasSizeGreaterThanOrEqualTo(1);
                    if (actor.hasReplicaOn(id("s1"))) {
                        assertThat(actor.isr()).contains(id("s1"));
                    }
                });
        assertThat(cluster.map("t").actors())
                .as("an actor on s1 and s2, or s1 and s3, still has a replica on s1")
                .anyMatch(actor -> actor.isr().contains(id("s1")));
    }

    @Test
    void whatCannotBeEmptiedIsRefused() {
        cluster.create(node, TestingCluster.table("t", 2, 3));
        refused("only 2 other servers", "s1");
        refused("no live server has the id s9", "s9");
        drain("s9", false);
        assertThat(drained()).isEmpty();
    }
}
