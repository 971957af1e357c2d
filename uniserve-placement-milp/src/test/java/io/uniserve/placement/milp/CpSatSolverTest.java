package io.uniserve.placement.milp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.error.ErrorCode;
import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.check.PlacementChecker;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.generate.InstanceGenerator;
import io.uniserve.placement.generate.InstanceParameters;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.model.ShardSet;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PlacementStatus;
import io.uniserve.placement.run.PolicyRunner;
import io.uniserve.placement.text.PlacementInstance;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The solver against what can be counted by hand, against the search, and where it can do nothing. */
class CpSatSolverTest {
    private static final PolicyRunner RUNNER = new PolicyRunner(ConstraintCatalog.standard(), 0);
    private static final SearchBudget EFFORT = new SearchBudget(1, () -> false, 60);

    private static ClusterLoadBuilder pairs() {
        double[] loads = {1, 1, 1, 1};
        return new ClusterLoadBuilder(loads, new double[] {2, 2})
                .current(Assignment.single(new int[] {0, 0, 1, 1}))
                .sets(List.of(new ShardSet(3, new int[] {0, 1}), new ShardSet(1, new int[] {2, 3})));
    }

    @Test
    void setsAreSpreadWithTheFewestMoves() {
        PlacementResult result = RUNNER.run(PolicyCatalog.byName("milp"), pairs().build(), EFFORT);
        assertThat(result.status()).isEqualTo(PlacementStatus.BALANCED);
        assertThat(result.check().contention()).isEqualTo(4);
        assertThat(result.check().adds()).isEqualTo(2);
        assertThat(result.check().replicas()).isEqualTo(4);
        assertThat(result.reasons()).containsExactly("contention proven optimal", "moves proven optimal");
    }

    @Test
    void theSearchIsWithinOnePercentOfTheOptimumAndNoMoveMoreOn16Actors() {
        for (InstanceParameters.Change change : InstanceParameters.Change.values()) {
            PlacementInstance instance = InstanceGenerator.make(
                    new InstanceParameters(16, 1_000, 3, change, InstanceParameters.Mix.RANGE, 1), 2);
            Assignment current = instance.initial();
            for (int round = 0; round < 3; round++) {
                ClusterLoad in = instance.at(round, current, 0.05, 1);
                PlacementProperties exact =
                        RUNNER.run(PolicyCatalog.byName("milp"), in, EFFORT).check();
                PlacementResult ours = RUNNER.run(PolicyCatalog.byName("parallelism"), in, EFFORT);
                assertThat(ours.status()).isEqualTo(PlacementStatus.BALANCED);
                assertThat(ours.check().contention()).isLessThanOrEqualTo(exact.contention() * 1.01);
                if (ours.check().contention() <= exact.contention() * (1 + 1e-9)) {
                    assertThat(ours.check().adds()).isLessThanOrEqualTo(exact.adds());
                }
                current = ours.assignment();
            }
        }
    }

    @Test
    void aHotActorGetsReplicasAndUnequalServersTheirPart() {
        ClusterLoad in = new ClusterLoadBuilder(new double[] {6, 1, 1, 1}, new double[] {4, 4, 4})
                .weights(new double[] {1, 1, 2})
                .current(Assignment.single(new int[] {0, 0, 0, 0}))
                .build();
        PlacementResult result = RUNNER.run(PolicyCatalog.byName("milp"), in, EFFORT);
        assertThat(result.status()).isEqualTo(PlacementStatus.BALANCED);
        assertThat(result.assignment().replicas(0)).isGreaterThan(1);
        assertThat(result.check().largestLoad()).isCloseTo(1, within(0.0501));
    }

    @Test
    void whatCannotBeBalancedKeepsTheStartAndSaysSo() {
        ClusterLoad in = new ClusterLoadBuilder(new double[] {6, 1}, new double[] {1, 1})
                .current(Assignment.single(new int[] {0, 1}))
                .build();
        PlacementResult result = RUNNER.run(PolicyCatalog.byName("milp"), in, EFFORT);
        assertThat(result.status()).isEqualTo(PlacementStatus.BEST_EFFORT);
        assertThat(result.reasons()).contains("contention: proven that no balanced placement exists");
    }

    @Test
    void twoReplicasOfMixedSetsAreSoundAndBalanced() {
        PlacementInstance instance = InstanceGenerator.make(
                new InstanceParameters(24, 200, 1, InstanceParameters.Change.DRIFT, InstanceParameters.Mix.MIXED, 2),
                4);
        ClusterLoad in = instance.at(0, instance.initial(), 0.05, 2);
        BalancePolicy policy = PolicyCatalog.byName("milp");
        SearchBudget searchBudget = new SearchBudget(7, () -> false, 8);
        Assignment first = RUNNER.run(policy, in, searchBudget).assignment();
        PlacementProperties check = PlacementChecker.check(in, first);
        assertThat(check.isValid()).isTrue();
        assertThat(check.isBalanced(in.servers())).isTrue();
    }

    @Test
    void aPlatformWithoutLibraryIsTold() {
        var missing = SolverLibraryLoader.missing("Plan 9", "mips", new UnsatisfiedLinkError("none"));
        assertThat(missing.code()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(missing)
                .hasMessageContaining("no native library for Plan 9 on mips")
                .hasMessageContaining("solver/lib");
    }
}
