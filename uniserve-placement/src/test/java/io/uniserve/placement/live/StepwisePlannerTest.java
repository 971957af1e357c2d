package io.uniserve.placement.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.GreedyReplicationPolicy;
import io.uniserve.placement.HottestFirstPolicy;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.ReplicationPolicy;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.ReplicationPolicy.CopyTraffic;
import io.uniserve.placement.constraint.Constraint;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.constraint.MovesLimitConstraint;
import io.uniserve.placement.explain.Explanation;
import io.uniserve.placement.run.PlacementStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whole plans of the default policies, and explanations of places. */
class StepwisePlannerTest {
    private final LiveClusterFixture fixture = new LiveClusterFixture();

    private LivePlan plan(Constraint... more) {
        List<Constraint> constraints = new ArrayList<>(ConstraintCatalog.standard());
        constraints.addAll(List.of(more));
        double tolerance = LiveClusterFixture.TOLERANCE;
        ReplicationPolicy copies = new GreedyReplicationPolicy(ReplicationLimits.defaults(), tolerance);
        return new StepwisePlanner(
                        new HottestFirstPolicy(tolerance, 1_000), copies, tolerance, constraints, LiveNames.ids())
                .plan(fixture.cluster(), CopyTraffic.UNMEASURED);
    }

    @Test
    void aHotActorGetsAllItsCopiesInOnePlan() {
        fixture.servers(4, 4);
        ReplicaKey hot = fixture.actor(3_500, 1, 0, "s0");
        for (int i = 1; i < 4; i++) {
            fixture.actor(150, 1, 0, "s" + i);
        }
        LivePlan plan = plan();
        assertThat(plan.copies())
                .first()
                .isInstanceOfSatisfying(
                        AddCopies.class, add -> assertThat(add.targets()).hasSize(3));
        assertThat(plan.changes(hot)).isTrue();
        assertThat(plan.before().largestLoad()).isGreaterThan(3);
        assertThat(plan.after().largestLoad()).isLessThan(1.2);
        assertThat(plan.after().adds()).isEqualTo(3);
    }

    @Test
    void aNewServerIsFilledWithinTheLimitOfMoves() {
        fixture.servers(3, 3);
        for (int i = 0; i < 12; i++) {
            fixture.actor(50, 1, 0, "s" + i % 2);
        }
        LivePlan plan = plan();
        assertThat(plan.status()).isEqualTo(PlacementStatus.BALANCED);
        assertThat(plan.moves()).hasSize(4).allMatch(move -> move.to().value().equals("s2"));
        assertThat(plan.after().largestLoad()).isCloseTo(1, within(0.01));
        LivePlan refused = plan(new MovesLimitConstraint(1));
        assertThat(refused.status()).isEqualTo(PlacementStatus.REJECTED);
        assertThat(refused.isEmpty()).isTrue();
        assertThat(refused.reasons()).isNotEmpty();
    }

    @Test
    void reasonsNameServers() {
        fixture.servers(2, 2);
        fixture.actor(50, 1, 0, "s1");
        LivePlan plan = plan();
        assertThat(plan.status()).isEqualTo(PlacementStatus.BEST_EFFORT);
        assertThat(plan.isEmpty()).isTrue();
        assertThat(plan.reasons()).anyMatch(reason -> reason.contains("server s1 has load 50.00"));
    }

    @Test
    void placesAreExplained() {
        fixture.servers(4, 2);
        fixture.servers.set(3, new Server(new ServerId("s3"), "z3", 1, Set.of("other")));
        ReplicaKey first = fixture.actor(90, 2, 0, "s0", "s1");
        ReplicaKey second = fixture.actor(90, 1, 0, "s0");
        LiveExplainer explainer = new LiveExplainer(fixture.cluster(), LiveClusterFixture.TOLERANCE, LiveNames.ids());
        Explanation why = explainer.explain(first);
        assertThat(why.facts().get(0)).isEqualTo("load 90.00 ms of CPU per second, 2.00 times the mean of the servers");
        assertThat(why.hosts()).hasSize(2).first().asString().startsWith("server s0: share 0.500");
        assertThat(why.others()).anyMatch(other -> other.startsWith("server s2: "));
        assertThat(explainer.servers(first))
                .extracting(LiveExplainer.ServerState::obstacle)
                .containsExactly(
                        "hosts it",
                        "hosts it",
                        "zone z0 has a replica: only that one may move here",
                        "does not offer port kv");
        LivePlan plan = plan();
        assertThat(plan.moves()).isNotEmpty();
        ReplicaKey moved = plan.moves().get(0).key();
        assertThat(explainer.verdict(moved, plan)).first().asString().startsWith("it would move from s0 to s2: ");
        ReplicaKey other = moved.equals(first) ? second : first;
        assertThat(explainer.verdict(other, plan)).first().asString().startsWith("it stays: changes of other actors");
        assertThat(explainer.explain(new ReplicaKey(9, 9)).facts())
                .containsExactly("no replica is on a server that takes part");
    }
}
