package io.uniserve.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.workload.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Atomic updates and reads at one version under faults: hours without a violation, and the same history each time. */
@Execution(ExecutionMode.CONCURRENT)
final class AtomicSimulationTest {
    private static final Logger LOG = LoggerFactory.getLogger(AtomicSimulationTest.class);
    private static final int SEEDS = Boolean.getBoolean("uniserve.test.full") ? 40 : 20;
    private static final double HOURS_MIN = SEEDS / 40.0;
    private static final long RESTORED_MIN = SEEDS / 10;
    private static final long MOMENTS_MIN = 5L * SEEDS;
    private static final long COMPARED_MIN = 50L * SEEDS;
    private static final long UPDATES_MIN = 125L * SEEDS;
    private static final SimulationOptions ATOMIC = SimulationOptions.defaults().with(Workload.ATOMIC);

    @Test
    void hoursOfFaultsBreakNoInvariant() {
        SimulationReport report = new Simulation(ATOMIC).run(1, SEEDS);
        assertThat(report.failed())
                .as(() -> report.failed().stream()
                        .map(seed -> seed.replay() + " --workload atomic " + seed.violations())
                        .toList()
                        .toString())
                .isEmpty();
        assertThat(report.faults().getOrDefault(Fault.TABLE_RESTORED, 0L))
                .as("tables that went back")
                .isGreaterThanOrEqualTo(RESTORED_MIN);
        assertThat(report.faults().getOrDefault(Fault.MOMENT_READ, 0L))
                .as("reads of two tables as of one moment")
                .isGreaterThanOrEqualTo(MOMENTS_MIN);
        assertThat(report.coverage().digests()).as("replicas compared").isGreaterThanOrEqualTo(COMPARED_MIN);
        assertThat(report.coverage().disks())
                .as("disks that were checked at commits of versions")
                .isGreaterThanOrEqualTo(UPDATES_MIN);
        assertThat(report.coverage().inDoubtNanosMax()).as("longest in doubt").isPositive();
        assertThat(report.hours()).isGreaterThanOrEqualTo(HOURS_MIN);
        assertThat(report.updates()).isGreaterThanOrEqualTo(UPDATES_MIN);
        assertThat(report.reads()).isGreaterThanOrEqualTo(UPDATES_MIN);
        assertThat(report.faultsPerHour()).isGreaterThanOrEqualTo(SimulationTest.FAULTS_PER_HOUR_MIN);
        assertThat(report.excusedShare())
                .as(() -> report.excused().toString())
                .isLessThan(SimulationTest.EXCUSED_SHARE_MAX);
        LOG.info("{}", SimulationTest.ledgerRow(report));
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        String once = new Simulation(ATOMIC).run(3, 4).hash();
        assertThat(new Simulation(ATOMIC).run(3, 4).hash()).isEqualTo(once);
        assertThat(new Simulation(SimulationOptions.defaults()).run(3, 4).hash())
                .as("another workload")
                .isNotEqualTo(once);
    }
}
