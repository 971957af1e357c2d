package io.uniserve.placement.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PlacementStatus;
import io.uniserve.placement.run.PolicyRunner;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where memory leaves no room, no actor loses its last replica for the sake of balance. */
class TightMemoryTest {
    private static final PolicyRunner RUNNER = new PolicyRunner(ConstraintCatalog.standard(), 0);

    @ParameterizedTest
    @ValueSource(strings = {"greedy", "parallelism", "estore", "getafix", "static"})
    void fullServersStayAsTheyAre(String policy) {
        ClusterLoad in = new ClusterLoadBuilder(new double[] {6, 1}, new double[] {1, 1})
                .current(Assignment.single(new int[] {0, 1}))
                .build();
        PlacementResult result = RUNNER.run(PolicyCatalog.byName(policy), in, SearchBudget.unlimited(1));
        assertThat(result.status()).as(result.reasons().toString()).isEqualTo(PlacementStatus.BEST_EFFORT);
        assertThat(result.check().adds()).isZero();
    }

    @Test
    void nothingIsRejectedOnRandomClustersWithHardlyAnyRoom() {
        for (int seed = 0; seed < 60; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int servers = random.nextInt(1, 9);
            int actors = random.nextInt(1, 21);
            int rf = random.nextInt(1, 4);
            double[] loads = new double[actors];
            int[] where = new int[actors];
            for (int i = 0; i < actors; i++) {
                loads[i] = random.nextInt(4) == 0 ? 0 : 1 / (1 - random.nextDouble());
                where[i] = i % servers;
            }
            double[] capacity = new double[servers];
            double[] weights = new double[servers];
            for (int j = 0; j < servers; j++) {
                capacity[j] = (actors * rf + servers - 1) / servers + random.nextInt(2);
                weights[j] = random.nextInt(1, 6);
            }
            ClusterLoad in = new ClusterLoadBuilder(loads, capacity)
                    .weights(weights)
                    .rf(rf)
                    .current(Assignment.single(where))
                    .build();
            PlacementResult result = RUNNER.run(PolicyCatalog.byName("greedy"), in, SearchBudget.unlimited(seed));
            assertThat(result.isTaken())
                    .as("seed %d: %s", seed, result.reasons())
                    .isTrue();
        }
    }
}
