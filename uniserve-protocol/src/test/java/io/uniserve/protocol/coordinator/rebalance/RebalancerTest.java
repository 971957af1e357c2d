package io.uniserve.protocol.coordinator.rebalance;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static io.uniserve.protocol.coordinator.context.TestingCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replicas move because the load is uneven. */
class RebalancerTest {
    private static final TableName T = new TableName("t");
    private static final long PERIOD = 10 * SECOND;

    private final TestingCluster cluster = new TestingCluster();
    private Node node;

    RebalancerTest() {
        cluster.rebalance = new RebalanceConfig(PERIOD, 4, 2);
        node = cluster.leading(3);
    }

    private void create(int actors, int rf) {
        cluster.create(node, TestingCluster.table("t", actors, rf));
        for (int i = 0; i < actors; i++) {
            ActorState actor = cluster.actor("t", i);
            cluster.peer(node, new PeerRequest.EpochStarted(cluster.key("t", i), actor.epoch(), actor.primary()));
        }
        cluster.loop.run(200 * MILLI);
    }

    private void join(String name) {
        cluster.server(name).start();
        cluster.loop.run(6 * SECOND);
    }

    private List<ActorState> actors() {
        return cluster.map("t").actors();
    }

    private long held(String server) {
        return actors().stream()
                .filter(actor -> actor.isr().contains(id(server)))
                .count();
    }

    private List<ActorState> moving() {
        return actors().stream().filter(actor -> !actor.isOnDesiredServers()).toList();
    }

    private AdminReply.Rebalance told() {
        return ((AdminReply.ClusterStatus) cluster.admin(node, new AdminRequest.Status())).rebalance();
    }

    /** Actions of servers: learners are certified, fenced replicas are reported, primaries hand over. */
    private void help() {
        for (ActorState actor : actors()) {
            int number = actor.actor();
            if (!actor.learners().isEmpty()) {
                cluster.certify(node, "t", number);
            } else if (actor.isr().size() > actor.desiredServers().size()
                    && !actor.desiredServers().contains(actor.primary())) {
                cluster.handOver(node, "t", number, actor.desiredServers().toArray(ServerId[]::new));
            } else if (!actor.fencing().isEmpty()) {
                List<ServerId> fenced =
                        actor.fencing().stream().map(entry -> entry.server()).toList();
                cluster.peer(node, new PeerRequest.ReplicasFenced(cluster.key("t", number), actor.epoch(), fenced));
            }
        }
    }

    /** Runs for this time, with the actions of servers. Returns the maximum of concurrent moves per period. */
    private List<Integer> pass(long nanos) {
        List<Integer> most = new ArrayList<>();
        long end = cluster.loop.nanos() + nanos;
        while (cluster.loop.nanos() - end < 0) {
            int peak = 0;
            long look = cluster.loop.nanos() + PERIOD;
            while (cluster.loop.nanos() - look < 0) {
                cluster.loop.run(SECOND);
                peak = Math.max(peak, moving().size());
                help();
            }
            most.add(peak);
        }
        return most;
    }

    @Test
    void aNewServerIsFilledAndThenNothingMoves() {
        create(16, 2);
        join("s4");
        assertThat(held("s4")).isZero();
        pass(30 * PERIOD);
        for (String server : List.of("s1", "s2", "s3", "s4")) {
            assertThat(held(server)).as(server).isBetween(7L, 9L);
        }
        assertThat(actors()).allSatisfy(actor -> assertThat(actor.isr()).hasSize(2));
        List<ActorState> before = actors();
        assertThat(pass(30 * PERIOD)).allMatch(peak -> peak == 0);
        assertThat(actors()).isEqualTo(before);
        assertThat(told().state()).isEqualTo("sees nothing to move");
    }

    @Test
    void anEvenClusterNeverMoves() {
        create(12, 2);
        List<ActorState> before = actors();
        assertThat(pass(20 * PERIOD)).allMatch(peak -> peak == 0);
        assertThat(actors()).isEqualTo(before);
    }

    @Test
    void theHottestThatFitsGoesFirstAndAlone() {
        create(12, 1);
        cluster.costs.put(0, 8.0);
        for (int i = 3; i < 12; i++) {
            cluster.costs.put(i, 20.0);
        }
        cluster.costs.put(4, 30.0);
        join("s4");
        cluster.loop.run(PERIOD);
        assertThat(moving()).singleElement().satisfies(actor -> {
            assertThat(actor.actor()).isEqualTo(4);
            assertThat(actor.learners()).containsExactly(id("s4"));
        });
        AdminReply.Rebalance told = told();
        assertThat(told.moves()).singleElement().satisfies(moving -> {
            assertThat(moving.table()).isEqualTo(T);
            assertThat(moving.actor()).isEqualTo(4);
            assertThat(moving.to()).containsExactly(id("s4"));
            assertThat(moving.reason()).contains("of its due");
        });
        assertThat(told.pendingMoves()).isPositive();
    }

    @Test
    void oneMoveFirstThenMore() {
        cluster.rebalance = new RebalanceConfig(PERIOD, 3, 3);
        restart();
        create(60, 1);
        join("s4");
        List<Integer> most = new ArrayList<>();
        for (int i = 0; i < 80 && held("s4") < 12; i++) {
            cluster.loop.run(SECOND);
            most.add(moving().size());
            help();
        }
        assertThat(most).contains(1, 2, 3).allMatch(count -> count <= 3);
        assertThat(most.indexOf(1)).isLessThan(most.indexOf(2));
        assertThat(most.indexOf(2)).isLessThan(most.indexOf(3));
    }

    @Test
    void atMostSoManyOfAServer() {
        create(60, 1);
        join("s4");
        for (int i = 0; i < 60; i++) {
            cluster.loop.run(SECOND);
            assertThat(actors().stream().filter(actor -> actor.learners().contains(id("s4"))))
                    .hasSizeLessThanOrEqualTo(2);
            assertThat(moving()).hasSizeLessThanOrEqualTo(4);
            help();
        }
        assertThat(held("s4")).isGreaterThan(10);
    }

    @Test
    void aTargetThatFailsIsATimeOfRest() {
        create(16, 2);
        join("s4");
        cluster.loop.run(PERIOD);
        assertThat(moving()).hasSize(1);
        cluster.server("s4").kill();
        cluster.loop.run(8 * SECOND);
        assertThat(moving()).isEmpty();
        cluster.server("s4").start();
        cluster.loop.run(SECOND);
        assertThat(moving()).as("it pauses").isEmpty();
        pass(60 * PERIOD);
        assertThat(held("s4")).isBetween(7L, 9L);
    }

    @Test
    void aMissingReplicaComesFirst() {
        create(16, 2);
        cluster.server("s3").hang();
        join("s4");
        cluster.loop.run(5 * PERIOD);
        assertThat(told().state()).startsWith("waits: ");
        assertThat(actors())
                .allSatisfy(actor ->
                        assertThat(actor.isr().size() + actor.learners().size()).isLessThanOrEqualTo(2));
    }

    @Test
    void whatWasMovedByHandStays() {
        create(6, 1);
        ActorState first = actors().get(0);
        List<ServerId> others = List.of(id("s1"), id("s2"), id("s3")).stream()
                .filter(id -> !first.isr().contains(id))
                .toList();
        cluster.costs.put(0, 100.0);
        ServerId to = others.get(0);
        assertThat(cluster.admin(node, new AdminRequest.MoveReplica(T, 0, first.primary(), to)))
                .isEqualTo(new AdminReply.Ack());
        pass(20 * PERIOD);
        assertThat(actors().get(0).isr()).containsExactly(to);
        assertThat(actors().stream().filter(actor -> actor.isr().contains(to))).hasSize(1);
    }

    @Test
    void aPolicyThatThrowsOrProposesNonsenseChangesNothing() {
        List<ReplicaMove> nonsense = new ArrayList<>();
        boolean[] throwing = {true};
        cluster.policy = view -> {
            if (throwing[0]) {
                throw new IllegalStateException("broken");
            }
            return nonsense;
        };
        restart();
        create(6, 2);
        List<ActorState> before = actors();
        pass(2 * PERIOD);
        assertThat(told().state()).contains("no plan").contains("broken");
        throwing[0] = false;
        ActorState first = before.get(0);
        ServerId host = first.isr().get(0);
        ServerId other = first.isr().get(1);
        nonsense.add(new ReplicaMove(cluster.key("t", 0), host, other, "both there"));
        nonsense.add(new ReplicaMove(cluster.key("t", 0), host, id("s9"), "nobody"));
        nonsense.add(new ReplicaMove(new io.uniserve.model.ReplicaKey(99, 0), host, other, "no table"));
        nonsense.add(new ReplicaMove(
                new io.uniserve.model.ReplicaKey(cluster.key("t", 0).tableId(), 6), host, other, "no actor"));
        pass(20 * PERIOD);
        assertThat(actors()).isEqualTo(before);
    }

    @Test
    void offMeansOff() {
        cluster.rebalance = RebalanceConfig.off();
        restart();
        create(16, 2);
        join("s4");
        pass(20 * PERIOD);
        assertThat(held("s4")).isZero();
        assertThat(told().state()).isEqualTo("off");
    }

    private void restart() {
        node.machine().stop();
        cluster.loop.run(SECOND);
        node = cluster.coordinator("c9");
        assertThat(cluster.loop.runUntil(node.machine()::isLeader, 60 * SECOND)).isTrue();
        cluster.loop.run(SECOND);
    }
}
