package io.uniserve.placement.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.Constraint;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.constraint.MovesLimitConstraint;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.model.ShardSet;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies that misbehave, and clusters that cannot be balanced: a reason each, and never a silent violation. */
class BadPolicyTest {
    private static final PolicyRunner RUNNER = new PolicyRunner(ConstraintCatalog.standard(), 60_000);

    private static double[] of(int n, double value) {
        double[] values = new double[n];
        Arrays.fill(values, value);
        return values;
    }

    private static ClusterLoadBuilder cluster(int actors, int servers) {
        int[] where = new int[actors];
        Arrays.setAll(where, i -> i % servers);
        return new ClusterLoadBuilder(of(actors, 1), of(servers, 4)).current(Assignment.single(where));
    }

    private static void rejected(BalancePolicy policy, String reason) {
        ClusterLoad in = cluster(6, 3).build();
        PlacementResult result = RUNNER.run(policy, in, SearchBudget.unlimited(1));
        assertThat(result.status()).isEqualTo(PlacementStatus.REJECTED);
        assertThat(result.reasons().toString()).contains(reason);
        assertThat(result.assignment()).isEqualTo(in.current());
    }

    private static BalancePolicy single(int... servers) {
        return (in, searchBudget) -> PlacementProposal.of(Assignment.single(servers));
    }

    @Test
    void whatBreaksAHardConstraintIsRejected() {
        rejected(
                (in, searchBudget) -> {
                    throw new IllegalStateException("out of ideas");
                },
                "the policy failed: java.lang.IllegalStateException: out of ideas");
        rejected(
                (in, searchBudget) -> {
                    throw new StackOverflowError();
                },
                "the policy failed: java.lang.StackOverflowError");
        rejected(single(0, 1, 2, 3, 0, 1), "actor 3 is on server 3, which does not exist");
        rejected(single(0, 1, 2, -1, 0, 1), "actor 3 would lose its last replica");
        rejected(single(0, 0, 0, 0, 0, 1), "server 0 would use 5.0 of 4.0 memory");
        rejected(single(0, 1), "the proposal has 2 actors");
        double[][] shares = {{1}, {1}, {1}, {1}, {1}, {Double.NaN}};
        rejected(
                (in, searchBudget) ->
                        PlacementProposal.of(Assignment.of(new int[][] {{0}, {1}, {2}, {0}, {1}, {2}}, shares)),
                "the shares of actor 5 add up to NaN");
    }

    /** Says nothing of itself but throws once more. */
    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no words");
        }
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void aProposalThatIsNoneIsRejected() {
        rejected((in, searchBudget) -> new PlacementProposal(null, List.of()), "a proposal needs an assignment");
        rejected(
                (in, searchBudget) -> PlacementProposal.of(Assignment.of(new int[6][1], new double[6][0])),
                "actor 0 has 1 hosts and 0 shares");
        rejected(
                (in, searchBudget) -> PlacementProposal.of(Assignment.of(new int[6][1], new double[5][1])),
                "hosts are given for 6 actors, shares for 5");
        rejected(
                (in, searchBudget) -> {
                    throw new Unspeakable();
                },
                "Unspeakable, whose message fails with java.lang.IllegalStateException");
    }

    @Test
    void notesAreOneLineEach() {
        ClusterLoad in = cluster(6, 3).build();
        BalancePolicy talking =
                (load, searchBudget) -> new PlacementProposal(load.current(), List.of("well,\nround 7 0.0\n0:1"));
        PlacementResult result = RUNNER.run(talking, in, SearchBudget.unlimited(1));
        assertThat(result.reasons()).containsExactly("well, round 7 0.0 0:1");
    }

    @Test
    void ofManyActorsThatFitNowhereAFewAreTold() {
        ClusterLoad in = new ClusterLoadBuilder(of(5_000, 1), of(3, 0.5)).build();
        PlacementResult result = RUNNER.run(PolicyCatalog.byName("greedy"), in, SearchBudget.unlimited(1));
        assertThat(result.status()).isEqualTo(PlacementStatus.INFEASIBLE);
        assertThat(result.reasons()).hasSize(5).contains("the same for 4997 more actors");
    }

    @Test
    void aPolicyThatHangsIsGivenUp() {
        CountDownLatch never = new CountDownLatch(1);
        ClusterLoad in = cluster(6, 3).build();
        BalancePolicy hanging = (load, searchBudget) -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return PlacementProposal.of(load.current());
        };
        PlacementResult result =
                new PolicyRunner(ConstraintCatalog.standard(), 50).run(hanging, in, SearchBudget.unlimited(1));
        assertThat(result.status()).isEqualTo(PlacementStatus.REJECTED);
        assertThat(result.reasons()).containsExactly("the policy did not answer within 50 ms");
    }

    @Test
    void moreMovesThanAllowedAreRejected() {
        List<Constraint> constraints = new ArrayList<>(ConstraintCatalog.standard());
        constraints.add(new MovesLimitConstraint(1));
        PlacementResult result = new PolicyRunner(constraints, 0)
                .run(single(1, 2, 0, 1, 2, 0), cluster(6, 3).build(), SearchBudget.unlimited(1));
        assertThat(result.reasons()).containsExactly("moves: 6 new replicas, 1 are allowed");
        assertThat(result.status()).isEqualTo(PlacementStatus.REJECTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"greedy", "parallelism", "estore", "getafix", "static"})
    void whatCannotBeHadIsToldWithItsReason(String name) {
        BalancePolicy policy = PolicyCatalog.byName(name);
        SearchBudget searchBudget = SearchBudget.unlimited(1);
        ClusterLoad nowhere = new ClusterLoadBuilder(of(3, 1), of(0, 1)).build();
        PlacementResult none = RUNNER.run(policy, nowhere, searchBudget);
        assertThat(none.status()).isEqualTo(PlacementStatus.INFEASIBLE);
        assertThat(none.reasons().toString()).contains("there are no servers");
        double[] memory = of(6, 1);
        memory[2] = 5;
        PlacementResult large = RUNNER.run(policy, cluster(6, 3).memory(memory).build(), searchBudget);
        assertThat(large.status()).isEqualTo(PlacementStatus.INFEASIBLE);
        assertThat(large.reasons().toString()).contains("actor 2 needs 5.00000 memory");
        PlacementResult rf = RUNNER.run(policy, cluster(3, 3).rf(4).build(), searchBudget);
        assertThat(rf.status()).isEqualTo(PlacementStatus.BEST_EFFORT);
        assertThat(rf.reasons().toString()).contains("rf is 4, but there are only 3 servers");
        assertThat(rf.check().replicas()).isEqualTo(9);
        PlacementResult empty = RUNNER.run(policy, new ClusterLoadBuilder(of(0, 1), of(2, 1)).build(), searchBudget);
        assertThat(empty.assignment().actors()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"greedy", "parallelism"})
    void oddClustersAreCasesLikeOthers(String name) {
        BalancePolicy policy = PolicyCatalog.byName(name);
        SearchBudget searchBudget = SearchBudget.unlimited(1);
        List<ShardSet> sets = List.of(new ShardSet(1, new int[0]), new ShardSet(0, new int[] {0, 1}));
        ClusterLoad idle = cluster(6, 3).loads(of(6, 0)).sets(sets).rf(2).build();
        PlacementResult zero = RUNNER.run(policy, idle, searchBudget);
        assertThat(zero.status()).as(zero.reasons().toString()).isEqualTo(PlacementStatus.BALANCED);
        ClusterLoad unequal = cluster(6, 3)
                .loads(new double[] {50, 30, 10, 5, 3, 2})
                .weights(new double[] {100, 10, 1})
                .build();
        PlacementResult skewed = RUNNER.run(policy, unequal, searchBudget);
        assertThat(skewed.status()).as(skewed.reasons().toString()).isEqualTo(PlacementStatus.BALANCED);
        ClusterLoad exact =
                cluster(6, 3).loads(new double[] {5, 4, 3, 2, 2, 2}).eps(0).build();
        PlacementResult even = RUNNER.run(policy, exact, searchBudget);
        assertThat(even.status()).as(even.reasons().toString()).isEqualTo(PlacementStatus.BALANCED);
    }

    @Test
    void inputThatMakesNoSenseIsRefused() {
        assertThatThrownBy(
                        () -> cluster(2, 2).loads(new double[] {1, Double.NaN}).build())
                .hasMessageContaining("load of actor 1 is NaN");
        assertThatThrownBy(() -> cluster(2, 2).loads(new double[] {-1, 1}).build())
                .hasMessageContaining("load of actor 0 is -1.0");
        assertThatThrownBy(() -> cluster(2, 2)
                        .sets(List.of(new ShardSet(1, new int[] {1, 1})))
                        .build())
                .hasMessageContaining("shard set 0 has actor 1 twice");
        assertThatThrownBy(() -> cluster(2, 2).eps(-0.1).build()).hasMessageContaining("eps is -0.1");
        assertThatThrownBy(() -> cluster(2, 2).rf(0).build()).hasMessageContaining("rf is 0");
        assertThatThrownBy(() -> PolicyCatalog.byName("best")).hasMessageContaining("use one of greedy");
        assertThatThrownBy(() -> PolicyCatalog.byName("java.lang.String")).hasMessageContaining("is not a");
        assertThatThrownBy(() -> PolicyCatalog.byName("no.Such")).hasMessageContaining("cannot be created");
    }
}
