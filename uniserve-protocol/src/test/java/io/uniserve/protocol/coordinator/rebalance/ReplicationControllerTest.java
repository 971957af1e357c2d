package io.uniserve.protocol.coordinator.rebalance;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ReservedTableOptions;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.GreedyReplicationPolicy;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminReply.CopyStatus;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Hot actors get copies and lose them again, one change at a time, under any leader. */
class ReplicationControllerTest {
    private static final TableName T = new TableName("t");
    private static final long PERIOD = 10 * SECOND;
    private static final long COOL_DOWN = 100 * SECOND;
    private static final int COPIES_MAX = 3;

    private final TestingCluster cluster = new TestingCluster();
    private Node node;
    private int mostChanging;

    ReplicationControllerTest() {
        cluster.rebalance = new RebalanceConfig(PERIOD, 4, 2);
        limits(new ReplicationLimits(COPIES_MAX, 1, 0.5, 100, 1L << 30, 600));
        node = cluster.leading(4);
    }

    private void limits(ReplicationLimits limits) {
        cluster.copies = ReplicationSetup.of(new GreedyReplicationPolicy(limits, 0.2), COOL_DOWN);
    }

    private void create(int rf, Map<String, String> options) {
        cluster.create(node, TestingCluster.table("t", 8, rf).with(options));
        for (int i = 0; i < 8; i++) {
            ActorState actor = cluster.actor("t", i);
            cluster.peer(node, new PeerRequest.EpochStarted(cluster.key("t", i), actor.epoch(), actor.primary()));
        }
        cluster.loop.run(200 * MILLI);
    }

    private ActorState hot() {
        return cluster.actor("t", 0);
    }

    private void heat(double millisPerSecond) {
        for (int i = 1; i < 8; i++) {
            cluster.costs.put(i, 10.0);
        }
        cluster.costs.put(0, millisPerSecond);
    }

    /** Runs for this time with the actions of servers; returns every state of the hot actor. */
    private List<ActorState> pass(long nanos) {
        List<ActorState> seen = new ArrayList<>();
        long end = cluster.loop.nanos() + nanos;
        while (cluster.loop.nanos() - end < 0) {
            cluster.loop.run(SECOND);
            int changing = 0;
            for (ActorState actor : cluster.map("t").actors()) {
                changing += actor.isOnDesiredServers() || actor.automaticCopies() == 0 ? 0 : 1;
                help(actor);
            }
            mostChanging = Math.max(mostChanging, changing);
            seen.add(hot());
        }
        return seen;
    }

    private void help(ActorState actor) {
        if (!actor.learners().isEmpty()) {
            cluster.certify(node, "t", actor.actor());
        } else if (actor.isr().size() > actor.desiredServers().size()
                && !actor.desiredServers().contains(actor.primary())) {
            cluster.handOver(node, "t", actor.actor(), actor.desiredServers().toArray(ServerId[]::new));
        } else if (!actor.fencing().isEmpty()) {
            List<ServerId> fenced =
                    actor.fencing().stream().map(entry -> entry.server()).toList();
            cluster.peer(node, new PeerRequest.ReplicasFenced(cluster.key("t", actor.actor()), actor.epoch(), fenced));
        }
    }

    private List<CopyStatus> told() {
        return ((AdminReply.ClusterStatus) cluster.admin(node, new AdminRequest.Status()))
                .rebalance()
                .copies();
    }

    private void restart() {
        node.machine().stop();
        cluster.loop.run(SECOND);
        node = cluster.coordinator("c9");
        assertThat(cluster.loop.runUntil(node.machine()::isLeader, 60 * SECOND)).isTrue();
        cluster.loop.run(SECOND);
    }

    @Test
    void copiesComeStayAndGo() {
        create(1, Map.of());
        ServerId primary = hot().primary();
        heat(900);
        pass(30 * PERIOD);
        assertThat(hot().isr()).hasSize(COPIES_MAX).contains(primary);
        assertThat(hot().automaticCopies()).isEqualTo(COPIES_MAX);
        assertThat(hot().copies()).as("the operator's number").isZero();
        assertThat(mostChanging).isEqualTo(1);
        assertThat(told().get(0)).satisfies(status -> {
            assertThat(status.actor()).isZero();
            assertThat(status.automatic()).isEqualTo(COPIES_MAX);
            assertThat(status.requested()).isEqualTo(1);
            assertThat(status.reason()).contains("copies-max is 3");
        });
        pass(30 * PERIOD);
        assertThat(hot().isr()).as("no change without a change of load").hasSize(COPIES_MAX);
        heat(5);
        pass(60 * PERIOD);
        assertThat(hot().isr()).containsExactly(hot().primary());
        assertThat(hot().automaticCopies()).isZero();
        assertThat(told()).isEmpty();
    }

    @Test
    void oneReportOfAHighLoadIsNotEnough() {
        create(1, Map.of());
        heat(900);
        pass(PERIOD + SECOND);
        heat(5);
        assertThat(pass(20 * PERIOD)).allMatch(actor -> actor.automaticCopies() == 0);
    }

    @Test
    void anOperatorsNumberStaysAndAddsToNothing() {
        create(1, Map.of());
        assertThat(cluster.admin(node, new AdminRequest.ReplicateActor(T, 0, 2)))
                .isEqualTo(new AdminReply.Ack());
        heat(900);
        pass(20 * PERIOD);
        assertThat(hot().isr()).as("for an hour after the request").hasSize(2);
        cluster.loop.run(3_600 * SECOND);
        pass(30 * PERIOD);
        assertThat(hot().isr()).hasSize(3);
        assertThat(hot().copies()).isEqualTo(2);
        heat(1);
        pass(60 * PERIOD);
        assertThat(hot().isr()).as("never below the operator's number").hasSize(2);
        assertThat(hot().copies()).isEqualTo(2);
        assertThat(hot().automaticCopies()).isZero();
    }

    @Test
    void anOperatorsSmallerNumberKeepsAutomaticCopies() {
        create(1, Map.of());
        heat(900);
        pass(30 * PERIOD);
        assertThat(cluster.admin(node, new AdminRequest.ReplicateActor(T, 0, 2)))
                .isEqualTo(new AdminReply.Ack());
        pass(5 * PERIOD);
        assertThat(hot().isr()).hasSize(3);
        assertThat(hot().copies()).isEqualTo(2);
    }

    @Test
    void aTableMaySwitchItOff() {
        create(1, Map.of(ReservedTableOptions.AUTOMATIC_COPIES, "off"));
        heat(900);
        assertThat(pass(20 * PERIOD)).allMatch(actor -> actor.automaticCopies() == 0);
        assertThat(told().get(0).reason()).contains("the table has switched automatic copies off");
        TableMeta meta = TestingCluster.table("t", 8, 1)
                .with(Map.of(ReservedTableOptions.AUTOMATIC_COPIES, "off"))
                .withNameAndId(T, cluster.map("t").tableId());
        assertThat(cluster.admin(node, new AdminRequest.UpdateTable(meta, Map.of())))
                .isEqualTo(new AdminReply.Ack());
        pass(30 * PERIOD);
        assertThat(hot().isr()).hasSize(COPIES_MAX);
        assertThat(cluster.admin(
                        node,
                        new AdminRequest.UpdateTable(
                                meta.with(Map.of()), Map.of(ReservedTableOptions.AUTOMATIC_COPIES, "off"))))
                .isEqualTo(new AdminReply.Ack());
        pass(30 * PERIOD);
        assertThat(hot().isr()).hasSize(1);
    }

    @Test
    void anotherLeaderContinuesAndKeepsTheBounds() {
        create(1, Map.of());
        heat(900);
        while (hot().learners().isEmpty()) {
            cluster.loop.run(SECOND / 4);
        }
        ActorState before = hot();
        restart();
        assertThat(hot().automaticCopies()).isEqualTo(before.automaticCopies());
        pass(30 * PERIOD);
        assertThat(hot().isr()).hasSize(COPIES_MAX);
        heat(1);
        restart();
        pass(60 * PERIOD);
        assertThat(hot().isr()).hasSize(1);
    }

    @Test
    void aLostCopyIsReplaced() {
        create(1, Map.of());
        heat(900);
        pass(30 * PERIOD);
        ServerId lost = hot().isr().stream()
                .filter(server -> !server.equals(hot().primary()))
                .findFirst()
                .orElseThrow();
        cluster.server(lost.value()).kill();
        pass(6 * PERIOD);
        assertThat(hot().isr()).hasSize(3).doesNotContain(lost);
    }

    @Test
    void updatesAndBytesMakeACopyTooExpensive() {
        create(1, Map.of());
        cluster.replicaBytes = 1L << 31;
        heat(900);
        assertThat(pass(10 * PERIOD)).allMatch(actor -> actor.automaticCopies() == 0);
        assertThat(told().get(0).reason()).contains("bytes-max");
        cluster.replicaBytes = 1_000;
        for (int i = 0; i < 10; i++) {
            cluster.lastIndex += 1_000 * PERIOD / SECOND;
            assertThat(pass(PERIOD)).allMatch(actor -> actor.automaticCopies() == 0);
        }
        assertThat(told().get(0).reason()).contains("updates/s").contains("gets no copy");
    }

    @Test
    void sharesFollowTheRoomOfServersAndVanishWithAMember() {
        cluster.policy = view -> List.of();
        restart();
        create(2, Map.of());
        ServerId busy = hot().isr().get(0);
        ServerId other = hot().isr().get(1);
        for (ActorState actor : cluster.map("t").actors()) {
            boolean beside = actor.isr().contains(busy) && !actor.isr().contains(other);
            cluster.costs.put(actor.actor(), actor.actor() == 0 ? 400.0 : beside ? 400.0 : 1.0);
        }
        pass(30 * PERIOD);
        assertThat(hot().weights().keySet()).isEqualTo(Set.copyOf(hot().isr()));
        assertThat(hot().weights().get(busy)).isLessThan(0.3);
        assertThat(hot().weights().values().stream()
                        .mapToDouble(Double::doubleValue)
                        .sum())
                .isCloseTo(1, within(1e-6));
        assertThat(told().get(0).weights()).isEqualTo(hot().weights());
        cluster.server(other.value()).kill();
        cluster.loop.run(8 * SECOND);
        assertThat(hot().isr()).doesNotContain(other);
        assertThat(hot().weights()).isEmpty();
    }

    /** The copy is made elsewhere, so the time since the start measures a failure. */
    @Test
    void aCopyWhoseServerDiesIsNoMeasurement() {
        create(1, Map.of());
        cluster.replicaBytes = 400_000_000;
        heat(900);
        assertThat(cluster.loop.runUntil(() -> !hot().learners().isEmpty(), 60 * PERIOD))
                .isTrue();
        ServerId target = hot().learners().get(0);
        cluster.server(target.value()).kill();
        String seconds =
                String.format(Locale.ROOT, "400.0 MB in %.1f s", 400_000_000 / CopyRate.ASSUMED_BYTES_PER_SECOND);
        List<String> reasons = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            pass(PERIOD);
            reasons.add(told().get(0).reason());
        }
        assertThat(hot().isr()).as("the copy elsewhere").hasSizeGreaterThan(1).doesNotContain(target);
        assertThat(reasons).anyMatch(reason -> reason.contains(" MB in "));
        assertThat(reasons)
                .filteredOn(reason -> reason.contains(" MB in "))
                .as("the rate that is assumed without a measurement")
                .allMatch(reason -> reason.contains(seconds));
    }

    @Test
    void aMoveByAnOperatorMayTakeLongerThanACopy() {
        create(1, Map.of());
        heat(900);
        pass(30 * PERIOD);
        assertThat(hot().isr()).hasSize(COPIES_MAX);
        ActorState before = hot();
        ServerId from = before.isr().stream()
                .filter(server -> !server.equals(before.primary()))
                .findFirst()
                .orElseThrow();
        ServerId to = cluster.map("t").actors().stream()
                .flatMap(actor -> actor.isr().stream())
                .filter(server -> !before.isr().contains(server))
                .findFirst()
                .orElseThrow();
        assertThat(cluster.admin(node, new AdminRequest.MoveReplica(T, 0, from, to)))
                .isEqualTo(new AdminReply.Ack());
        cluster.loop.run(2 * 3_600 * SECOND); // the copy for the move does not arrive
        assertThat(hot().desiredServers()).contains(to).doesNotContain(from).hasSize(COPIES_MAX);
        assertThat(hot().automaticCopies()).isEqualTo(COPIES_MAX);
    }

    @Test
    void aCopyThatNeverArrivesIsGivenUp() {
        create(1, Map.of());
        heat(900);
        cluster.loop.run(10 * PERIOD);
        assertThat(hot().learners()).as("both at once").hasSize(COPIES_MAX - 1);
        cluster.loop.run(3_600 * SECOND);
        heat(1);
        cluster.loop.run(10 * PERIOD);
        assertThat(hot().learners()).isEmpty();
        assertThat(hot().automaticCopies()).isZero();
        assertThat(hot().isr()).hasSize(1);
    }

    @Test
    void ofTwoCopiesTheOneThatNeverArrivesIsGivenUp() {
        create(1, Map.of());
        heat(900);
        cluster.loop.run(10 * PERIOD);
        ServerId arrived = hot().learners().get(0);
        cluster.certify(node, "t", 0);
        cluster.loop.run(SECOND);
        assertThat(hot().isr()).contains(arrived).hasSize(2);
        cluster.loop.run(3_600 * SECOND);
        assertThat(hot().learners()).isEmpty();
        assertThat(hot().isr()).contains(arrived).hasSize(2);
        assertThat(hot().automaticCopies()).isEqualTo(2);
    }
}
