package io.uniserve.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.workload.Workload;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One cluster for hours: its state does not grow with its age. It has no tables of time, so ATOMIC_TIME would be ATOMIC. */
@Execution(ExecutionMode.CONCURRENT)
final class CalmSimulationTest {
    private static final Logger LOG = LoggerFactory.getLogger(CalmSimulationTest.class);
    private static final double HOURS = Boolean.getBoolean("uniserve.test.full") ? 6 : 2;
    private static final double FAULTS_PER_HOUR_MIN = 200;

    @ParameterizedTest
    @EnumSource(value = Workload.class, names = "ATOMIC_TIME", mode = EnumSource.Mode.EXCLUDE)
    void hoursLeaveNothingBehind(Workload workload) {
        LightFaultReport report = new Simulation(SimulationOptions.defaults().with(workload)).runLightFaults(1, HOURS);
        LOG.info(
                "{}: {} simulated hours, {} faults an hour, {} segments dropped",
                workload.label(),
                report.hours(),
                report.faultsPerHour(),
                report.segmentsDropped());
        assertThat(report.violations()).isEmpty();
        assertThat(report.hours()).isGreaterThanOrEqualTo(HOURS);
        assertThat(report.faultsPerHour()).isGreaterThanOrEqualTo(FAULTS_PER_HOUR_MIN);
        assertThat(report.segmentsDropped()).isPositive();
        assertThat(report.highest()).containsOnlyKeys(report.firstHour().keySet());
    }
}
