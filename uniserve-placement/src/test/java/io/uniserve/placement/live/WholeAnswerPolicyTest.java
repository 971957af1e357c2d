package io.uniserve.placement.live;

import static io.uniserve.placement.live.LiveClusterFixture.planner;
import static io.uniserve.placement.live.LiveClusterFixture.state;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CoAccessedActors;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.ReplicationPolicy;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.ReplicationPolicy.Change;
import io.uniserve.placement.ReplicationPolicy.CopyTraffic;
import io.uniserve.placement.ReplicationPolicy.DropCopy;
import io.uniserve.placement.ReplicationPolicy.SetWeights;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.basic.GetafixPolicy;
import io.uniserve.placement.policy.basic.ParallelismPolicy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole answer of a policy becomes moves, copies and shares of a running cluster, within its limits. */
class WholeAnswerPolicyTest {
    private final LiveClusterFixture fixture = new LiveClusterFixture();

    /** Policy with this answer: the servers of each actor, with equal shares. */
    private static BalancePolicy fixed(int[]... hosts) {
        return (in, budget) -> {
            double[][] shares = new double[hosts.length][];
            for (int i = 0; i < hosts.length; i++) {
                shares[i] = new double[hosts[i].length];
                Arrays.fill(shares[i], 1.0 / hosts[i].length);
            }
            return PlacementProposal.of(Assignment.of(deepCopy(hosts), shares));
        };
    }

    private static int[][] deepCopy(int[][] hosts) {
        return Arrays.stream(hosts).map(int[]::clone).toArray(int[][]::new);
    }

    private static int[] on(int... servers) {
        return servers;
    }

    private ReplicationPolicy.Plan plan(BalancePolicy policy) {
        return plan(policy, ReplicationLimits.defaults());
    }

    private ReplicationPolicy.Plan plan(BalancePolicy policy, ReplicationLimits limits) {
        return new WholeAnswerPolicy(planner(policy, 0, limits)).plan(fixture.cluster(), CopyTraffic.UNMEASURED);
    }

    private List<ReplicaMove> moves(BalancePolicy policy) {
        return new WholeAnswerPolicy(planner(policy)).moves(fixture.cluster());
    }

    private String finding(BalancePolicy policy, ReplicationLimits limits) {
        ReplicationPolicy.Plan plan = plan(policy, limits);
        assertThat(plan.change()).isEmpty();
        assertThat(plan.findings()).hasSize(1);
        return plan.findings().get(0).reason();
    }

    @Test
    void aHotActorGetsTheCopyOfTheAnswerAndThenNothingChanges() {
        fixture.servers(2, 2);
        ReplicaKey hot = fixture.actor(600, 1, 0, "s0");
        BalancePolicy both = fixed(on(0, 1));
        assertThat(plan(both).change()).hasValueSatisfying(change -> {
            assertThat(change).isInstanceOf(AddCopies.class);
            assertThat(change.key()).isEqualTo(hot);
            assertThat(((AddCopies) change).targets()).containsExactly(new ServerId("s1"));
            assertThat(((AddCopies) change).copies()).isEqualTo(2);
        });
        assertThat(moves(both)).isEmpty();
        fixture.become(LiveChanges.apply(fixture.cluster(), plan(both).change().orElseThrow()));
        assertThat(plan(both).change()).isEmpty();
        assertThat(plan(both).findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.reason()).contains("kept: the policy wants 2 replicas"));
    }

    @Test
    void theLimitsOfCopiesHold() {
        fixture.servers(3, 3);
        BalancePolicy all = fixed(on(0, 1, 2));
        ReplicationLimits usual = ReplicationLimits.defaults();
        fixture.actor(50, 1, 0, "s0");
        assertThat(finding(all, usual)).contains("wants 3 replicas", "50.0 ms/s is below 100.0");
        fixture.actors.clear();
        fixture.actor(state(600, 1, 0, Map.of(), false, 0), "s0");
        assertThat(finding(all, usual)).contains("switched automatic copies off");
        fixture.actors.clear();
        fixture.actor(state(600, 1, 0, Map.of(), true, 65L << 30), "s0");
        assertThat(finding(all, usual)).contains("exceed bytes-max");
        fixture.actors.clear();
        fixture.actor(state(600, 1, 0, Map.of(), true, 63L << 30), "s0");
        assertThat(finding(all, new ReplicationLimits(4, 1, 0.5, 100, 64L << 30, 1)))
                .contains("a copy takes", "costs");
        fixture.actors.clear();
        fixture.actor(600, 1, 0, "s0");
        assertThat(finding(all, new ReplicationLimits(1, 1, 0.5, 100, 64L << 30, 600)))
                .contains("copies-max is 1");
        ReplicationPolicy.Plan two = plan(all, new ReplicationLimits(2, 1, 0.5, 100, 64L << 30, 600));
        assertThat(two.change())
                .hasValueSatisfying(
                        change -> assertThat(((AddCopies) change).copies()).isEqualTo(2));
    }

    @Test
    void aColdCopyIsDroppedButNeverThePrimaryAndNeverARequiredReplica() {
        fixture.servers(3, 3);
        fixture.actor(10, 1, 2, "s0", "s1");
        fixture.actor(10, 2, 0, "s1", "s2");
        fixture.actor(10, 2, 3, "s0", "s1", "s2");
        BalancePolicy one = fixed(on(1), on(2), on(2));
        assertThat(plan(one).change()).hasValueSatisfying(change -> {
            DropCopy drop = (DropCopy) change;
            assertThat(drop.key().actor()).isZero();
            assertThat(drop.source().value()).isEqualTo("s1");
            assertThat(drop.copies()).isZero();
        });
        LivePlan whole = planner(one).plan(fixture.cluster(), CopyTraffic.UNMEASURED);
        assertThat(whole.copies()).allMatch(DropCopy.class::isInstance).hasSize(2);
        assertThat(whole.copies()).noneMatch(change -> change.key().actor() == 1);
        assertThat(whole.after().replicas()).isEqualTo(5);
    }

    @Test
    void aWarmCopyStaysAlthoughTheAnswerLacksIt() {
        fixture.servers(2, 2);
        fixture.actor(600, 1, 2, "s0", "s1");
        fixture.actor(600, 1, 0, "s1");
        ReplicationPolicy.Plan plan = plan(fixed(on(0), on(1)));
        assertThat(plan.change())
                .as("the copy stays, with few queries")
                .hasValueSatisfying(change -> assertThat(change).isInstanceOf(SetWeights.class));
        assertThat(plan.findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.reason())
                        .contains("kept: its load is 600.0 ms/s, it is cold at 300.0 ms/s"));
    }

    @Test
    void aTableThatSwitchesCopiesOffLosesThem() {
        fixture.servers(2, 2);
        fixture.actor(state(600, 1, 2, Map.of(), false, 0), "s0", "s1");
        assertThat(plan(fixed(on(0, 1))).change())
                .hasValueSatisfying(change -> assertThat(change).isInstanceOf(DropCopy.class));
    }

    @Test
    void anAnswerOfMovesIsMovesWithinZonesAndEngines() {
        fixture.servers(4, 2);
        fixture.servers.set(3, new Server(new ServerId("s3"), "z1", 1, Set.of("other")));
        fixture.actor(300, 2, 0, "s0", "s1");
        fixture.actor(300, 2, 0, "s0", "s1");
        // The first would be in one zone, the second moves, an engine that a server lacks is no place.
        assertThat(moves(fixed(on(0, 2), on(1, 2)))).singleElement().satisfies(move -> {
            assertThat(move.key().actor()).isEqualTo(1);
            assertThat(move.from().value()).isEqualTo("s0");
            assertThat(move.to().value()).isEqualTo("s2");
            assertThat(move.reason()).contains("source at 200% of its due, target at 0%", "the plan brings");
        });
        assertThat(moves(fixed(on(0, 3), on(1, 3)))).isEmpty();
        assertThat(plan(fixed(on(0, 2), on(1, 2))).change()).isEmpty();
    }

    @Test
    void anActorThatMayNotBeDividedMovesAsAWhole() {
        fixture.servers(2, 2);
        for (int i = 0; i < 4; i++) {
            fixture.actor(50, 1, 0, "s0");
        }
        assertThat(moves(fixed(on(1), on(0, 1), on(0), on(0))))
                .extracting(move -> move.key().actor())
                .containsExactly(0, 1);
        assertThat(moves(fixed(on(0, 1), on(0, 1), on(0, 1), on(0, 1)))).hasSize(2);
    }

    @Test
    void anActorThatRestsIsLeftAlone() {
        fixture.servers(2, 2);
        fixture.actor(600, 1, 0, "s0");
        Actor actor = fixture.actors.get(0);
        fixture.actors.set(
                0, new Actor(actor.key(), "kv", actor.hosts(), actor.primary(), 600, 0, 0, false, actor.copies()));
        fixture.actor(600, 1, 0, "s0", "gone");
        assertThat(moves(fixed(on(1), on(1)))).isEmpty();
        assertThat(plan(fixed(on(0, 1), on(0, 1))).change()).isEmpty();
    }

    @Test
    void sharesOfTheAnswerBecomeWeights() {
        fixture.servers(2, 2);
        fixture.actor(600, 2, 0, "s0", "s1");
        fixture.actor(300, 1, 0, "s1");
        BalancePolicy shares = (in, budget) ->
                PlacementProposal.of(Assignment.of(new int[][] {{0, 1}, {1}}, new double[][] {{0.75, 0.25}, {1}}));
        Change change = plan(shares).change().orElseThrow();
        Map<ServerId, Double> weights = ((SetWeights) change).weights();
        assertThat(weights.get(new ServerId("s0"))).isCloseTo(0.75, within(0.01));
        fixture.become(LiveChanges.apply(fixture.cluster(), change));
        assertThat(plan(shares).change()).isEmpty();
        assertThat(planner(shares)
                        .plan(fixture.cluster(), CopyTraffic.UNMEASURED)
                        .before()
                        .largestLoad())
                .isCloseTo(1, within(0.01));
    }

    @Test
    void sharesOfParallelismAreLevelAndNotAtTheEdgeOfTheTolerance() {
        fixture.servers(2, 2);
        fixture.actor(600, 1, 2, "s0", "s1");
        fixture.actor(state(300, 1, 0, Map.of(), false, 0), "s1");
        Change change = plan(new ParallelismPolicy(null)).change().orElseThrow();
        assertThat(((SetWeights) change).weights().get(new ServerId("s0"))).isCloseTo(0.75, within(0.01));
        fixture.become(LiveChanges.apply(fixture.cluster(), change));
        assertThat(plan(new ParallelismPolicy(null)).change()).isEmpty();
    }

    @Test
    void badPoliciesLeaveTheClusterAsItIsAndTellWhy() {
        fixture.servers(2, 2);
        fixture.actor(600, 1, 0, "s0");
        refused("boom", (in, budget) -> {
            throw new IllegalStateException("boom");
        });
        refused("actor t1-a0 is on server 7, which does not exist", fixed(on(7)));
        refused("the proposal has 2 actors", fixed(on(0), on(1)));
        refused("would lose its last replica, on server s0", fixed(on()));
        refused(
                "add up to NaN",
                (in, budget) -> PlacementProposal.of(Assignment.of(new int[][] {{0}}, new double[][] {{Double.NaN}})));
    }

    private void refused(String reason, BalancePolicy policy) {
        assertThatThrownBy(() -> moves(policy))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> plan(policy))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(reason);
        LivePlan plan = planner(policy).plan(fixture.cluster(), CopyTraffic.UNMEASURED);
        assertThat(plan.isTaken()).isFalse();
        assertThat(plan.isEmpty()).isTrue();
        assertThat(plan.after()).isEqualTo(plan.before());
    }

    @Test
    void aPolicyThatHangsIsAbandonedAndNotRunAgainWhileItRuns() throws InterruptedException {
        fixture.servers(2, 2);
        fixture.actor(600, 1, 0, "s0");
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        CountDownLatch end = new CountDownLatch(1);
        WholeAnswerPolicy policy = new WholeAnswerPolicy(planner(
                (in, budget) -> {
                    runs.incrementAndGet();
                    while (release.getCount() > 0) {
                        try {
                            release.await();
                        } catch (InterruptedException e) {
                            ended.incrementAndGet(); // ignores the request to end
                        }
                    }
                    end.countDown();
                    return PlacementProposal.of(in.current());
                },
                50,
                ReplicationLimits.defaults()));
        assertThatThrownBy(() -> policy.moves(fixture.cluster())).hasMessageContaining("did not answer within 50 ms");
        assertThatThrownBy(() -> policy.moves(fixture.cluster())).hasMessageContaining("still runs");
        assertThat(runs).hasValue(1);
        release.countDown();
        end.await();
    }

    @Test
    void thePolicyRunsOnceForMovesAndCopies() {
        fixture.servers(2, 2);
        fixture.actor(600, 1, 0, "s0");
        AtomicInteger runs = new AtomicInteger();
        WholeAnswerPolicy policy = new WholeAnswerPolicy(planner((in, budget) -> {
            runs.incrementAndGet();
            return PlacementProposal.of(in.current());
        }));
        LiveCluster cluster = fixture.cluster();
        policy.moves(cluster);
        policy.plan(cluster, CopyTraffic.UNMEASURED);
        assertThat(runs).hasValue(1);
        policy.plan(cluster, CopyTraffic.UNMEASURED);
        assertThat(runs).hasValue(2);
    }

    @Test
    void aClusterWithoutChoiceHasNoPlan() {
        BalancePolicy never = (in, budget) -> {
            throw new IllegalStateException("called");
        };
        assertThat(moves(never)).isEmpty();
        fixture.servers(1, 1);
        fixture.actor(600, 1, 0, "s0");
        assertThat(moves(never)).isEmpty();
        assertThat(plan(never).change()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"getafix", "parallelism"})
    void anyClusterComesToRestAndKeepsRequiredReplicas(String name) {
        for (int seed = 1; seed <= 15; seed++) {
            Random random = new Random(seed);
            fixture.servers.clear();
            fixture.actors.clear();
            fixture.together.clear();
            int count = 2 + random.nextInt(4);
            fixture.servers(count, 1 + random.nextInt(3));
            int rf = 1 + random.nextInt(2);
            for (int i = 0; i < 16; i++) {
                String[] hosts = random.ints(0, count)
                        .distinct()
                        .limit(rf)
                        .mapToObj(host -> "s" + host)
                        .toArray(String[]::new);
                fixture.actor(random.nextInt(8) == 0 ? 2_000 : 20 + random.nextInt(200), rf, 0, hosts);
            }
            for (int i = 0; i + 1 < 16; i += 2) {
                fixture.together.add(new CoAccessedActors(
                        List.of(
                                fixture.actors.get(i).key(),
                                fixture.actors.get(i + 1).key()),
                        5));
            }
            comesToRest(name.equals("getafix") ? new GetafixPolicy() : new ParallelismPolicy(null), rf, seed);
        }
    }

    private void comesToRest(BalancePolicy policy, int rf, int seed) {
        WholeAnswerPolicy whole = new WholeAnswerPolicy(planner(policy));
        for (int round = 0; ; round++) {
            assertThat(round).as("seed %s comes to rest", seed).isLessThan(80);
            LiveCluster now = fixture.cluster();
            List<ReplicaMove> moves = whole.moves(now);
            Optional<Change> change = whole.plan(now, CopyTraffic.UNMEASURED).change();
            boolean grows = change.filter(one -> !(one instanceof DropCopy)).isPresent();
            for (ReplicaMove move : grows ? List.<ReplicaMove>of() : moves) {
                now = LiveChanges.apply(now, move);
            }
            if (change.isPresent()) {
                now = LiveChanges.apply(now, change.get());
            }
            if (now.equals(fixture.cluster())) {
                return;
            }
            fixture.become(now);
            for (Actor actor : fixture.actors) {
                assertThat(actor.hosts()).as("seed %s", seed).doesNotHaveDuplicates();
                assertThat(actor.hosts().size()).isBetween(rf, 4);
                assertThat(actor.hosts()).contains(actor.primary());
            }
        }
    }
}
