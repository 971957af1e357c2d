package io.uniserve.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.workload.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Servers are launched and terminated by load, with all other faults: no violation, and no machine is left over. */
@Execution(ExecutionMode.CONCURRENT)
final class ScalingSimulationTest {
    private static final boolean FULL = Boolean.getBoolean("uniserve.test.full");
    private static final int SEEDS = FULL ? 90 : 12;
    private static final SimulationOptions SCALING =
            SimulationOptions.defaults().withScaling();

    @Test
    void serversComeAndGoUnderFaults() {
        SimulationReport report = new Simulation(SCALING).run(1, SEEDS);
        check(report, "");
        assertThat(report.faults()).containsKeys(Fault.SERVER_LAUNCHED, Fault.SERVER_TERMINATED);
        assertThat(report.faults().get(Fault.SERVER_LAUNCHED)).isGreaterThan(SEEDS);
        assertThat(report.faults().get(Fault.SERVER_TERMINATED)).isGreaterThan(SEEDS / 2L);
    }

    @Test
    void atomicTablesKeepTheirVersions() {
        check(new Simulation(SCALING.with(Workload.ATOMIC)).run(1, SEEDS / 3), " --workload atomic");
    }

    /** Launches that take effect after the time-out, and digests of a copy whose log changes meanwhile. */
    @Test
    void seedsThatFoundBugs() {
        for (int seed : new int[] {18, 30}) {
            check(new Simulation(SCALING).run(seed, seed), "");
        }
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        String once = new Simulation(SCALING).run(3, 3).hash();
        assertThat(new Simulation(SCALING).run(3, 3).hash()).isEqualTo(once);
    }

    private static void check(SimulationReport report, String options) {
        assertThat(report.failed())
                .as(() -> report.failed().stream()
                        .map(seed -> seed.replay() + " --scale" + options + " " + seed.violations())
                        .toList()
                        .toString())
                .isEmpty();
    }
}
