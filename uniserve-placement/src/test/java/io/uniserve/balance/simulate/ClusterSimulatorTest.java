package io.uniserve.balance.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.balance.catalog.Policies;
import io.uniserve.balance.constraint.Constraints;
import io.uniserve.balance.policy.Effort;
import io.uniserve.balance.run.PolicyRunner;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterSimulatorTest {
    private static List<Interval> run(Workload workload, String policy) {
        ClusterShape shape = new ClusterShape(80, 8, 2, 17, 6, 2_000, 0.6, 3);
        PolicyRunner runner = new PolicyRunner(Constraints.standard(), 0);
        return new ClusterSimulator(shape, workload, Policies.named(policy), runner, () -> Effort.unhurried(1)).run();
    }

    @Test
    void aSeedTwiceIsTheSame() {
        assertThat(run(Workload.SKEW, "greedy")).isEqualTo(run(Workload.SKEW, "greedy"));
    }

    @Test
    void balancingAHotSpotShortensTheQueues() {
        Interval balanced = run(Workload.HOTSPOT, "greedy").get(5);
        Interval fixed = run(Workload.HOTSPOT, "static").get(5);
        assertThat(balanced.busiest()).isLessThan(fixed.busiest());
        assertThat(balanced.p99()).isLessThan(fixed.p99() / 3);
    }
}
