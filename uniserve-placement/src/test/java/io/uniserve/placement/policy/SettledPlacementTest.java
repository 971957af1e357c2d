package io.uniserve.placement.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.generate.InstanceGenerator;
import io.uniserve.placement.generate.InstanceParameters;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PlacementStatus;
import io.uniserve.placement.run.PolicyRunner;
import io.uniserve.placement.text.PlacementInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where contention's bound is out of reach: quality over seeds, by the checker, and the same input again moves nothing. */
class SettledPlacementTest {
    private static final PolicyRunner RUNNER = new PolicyRunner(ConstraintCatalog.standard(), 0);

    private static PlacementResult place(ClusterLoad in) {
        return RUNNER.run(PolicyCatalog.byName("parallelism"), in, SearchBudget.unlimited(1));
    }

    @ParameterizedTest
    @CsvSource({
        "64,  RANGE, DRIFT,    1, 2, 0.04, 42",
        "64,  RANGE, RESAMPLE, 2, 2, 0.04, 45",
        "256, MIXED, DRIFT,    1, 3, 0.05, 45",
        "256, MIXED, RESAMPLE, 3, 2, 0.05, 80"
    })
    void roundsAreGoodAndStay(
            int actors,
            InstanceParameters.Mix mix,
            InstanceParameters.Change change,
            int seed,
            int rounds,
            double gapMax,
            int laterAdds) {
        PlacementInstance instance =
                InstanceGenerator.make(new InstanceParameters(actors, 1_000, rounds, change, mix, 1), seed);
        Assignment current = instance.initial();
        for (int round = 0; round < rounds; round++) {
            PlacementResult result = place(instance.at(round, current, 0.05, 1));
            assertThat(result.status())
                    .as("round %d: %s", round, result.reasons())
                    .isEqualTo(PlacementStatus.BALANCED);
            assertThat(result.check().isBalanced(instance.servers())).isTrue();
            assertThat(result.check().isValid()).isTrue();
            assertThat(result.check().gap()).as("round %d", round).isLessThan(gapMax);
            assertThat(result.check().adds()).as("round %d", round).isLessThan(round == 0 ? actors : laterAdds);
            current = result.assignment();
            PlacementResult again = place(instance.at(round, current, 0.05, 1));
            assertThat(again.assignment()).as("round %d again", round).isEqualTo(current);
        }
    }
}
