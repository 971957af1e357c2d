package io.uniserve.placement.milp;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.placement.generate.InstanceGenerator;
import io.uniserve.placement.generate.InstanceParameters;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.model.ShardSet;
import io.uniserve.placement.policy.search.ParallelismSearch;
import io.uniserve.placement.text.PlacementInstance;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bound on moves holds, and is near what the search reaches. */
class AggregatedBoundTest {
    private static final AggregatedBound BOUND = new AggregatedBound();

    @Test
    void whatHasToMoveIsCounted() {
        ClusterLoad in = new ClusterLoadBuilder(new double[] {1, 1, 1, 1}, new double[] {4, 4})
                .current(Assignment.single(new int[] {0, 0, 0, 0}))
                .build();
        assertThat(BOUND.leastAdds(in, 300)).isEqualTo(2);
        ClusterLoad apart = in.toBuilder()
                .current(Assignment.single(new int[] {0, 0, 1, 1}))
                .build();
        assertThat(BOUND.leastAdds(apart, 300)).isZero();
        ClusterLoad together = apart.toBuilder()
                .sets(List.of(new ShardSet(1, new int[] {0, 1})))
                .build();
        // Two have to move; of new replicas only the number is looked at, so one is all that is seen.
        assertThat(BOUND.leastAdds(together, 300)).isBetween(1, 2);
    }

    @Test
    void theSearchMakesLittleMoreThanItMust() {
        InstanceParameters instanceParameters =
                new InstanceParameters(256, 1_000, 2, InstanceParameters.Change.DRIFT, InstanceParameters.Mix.RANGE, 1);
        PlacementInstance instance = InstanceGenerator.make(instanceParameters, 3);
        Assignment current = instance.initial();
        for (int round = 0; round < 2; round++) {
            ClusterLoad in = instance.at(round, current, 0.05, 1);
            Assignment placed = new ParallelismSearch(in, 1, () -> false).run();
            int least = BOUND.leastAdds(in, 300);
            assertThat(placed.addedTo(current)).isBetween(least, least + Math.max(4, least / 12));
            assertThat(least).isPositive();
            current = placed;
        }
    }
}
