package io.uniserve.placement.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.placement.catalog.PolicyCatalog;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.run.PolicyRunner;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterSimulatorTest {
    private static List<IntervalResult> run(AccessPattern accessPattern, String policy) {
        ClusterShape shape = new ClusterShape(80, 8, 2, 17, 6, 2_000, 0.6, 3);
        PolicyRunner runner = new PolicyRunner(ConstraintCatalog.standard(), 0);
        return new ClusterSimulator(
                        shape, accessPattern, PolicyCatalog.byName(policy), runner, () -> SearchBudget.unlimited(1))
                .run();
    }

    @Test
    void aSeedTwiceIsTheSame() {
        assertThat(run(AccessPattern.SKEW, "greedy")).isEqualTo(run(AccessPattern.SKEW, "greedy"));
    }

    @Test
    void balancingAHotSpotShortensTheQueues() {
        IntervalResult balanced = run(AccessPattern.HOTSPOT, "greedy").get(5);
        IntervalResult fixed = run(AccessPattern.HOTSPOT, "static").get(5);
        assertThat(balanced.busiest()).isLessThan(fixed.busiest());
        assertThat(balanced.p99()).isLessThan(fixed.p99() / 3);
    }
}
