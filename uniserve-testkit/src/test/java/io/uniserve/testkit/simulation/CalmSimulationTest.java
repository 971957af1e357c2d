package io.uniserve.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.testkit.simulation.workload.Workload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One cluster for hours: nothing that it keeps for the sake of the past grows with the past. */
final class CalmSimulationTest {
    private static final double HOURS = 6;
    private static final double FAULTS_PER_HOUR_MIN = 200;

    @ParameterizedTest
    @EnumSource(Workload.class)
    void hoursLeaveNothingBehind(Workload workload) {
        CalmReport report = new Simulation(SimulationOptions.defaults().with(workload)).calm(1, HOURS);
        System.out.printf(
                "%s: %.1f simulated hours, %.0f faults an hour, %d segments dropped, %s violations%n",
                workload.label(), report.hours(), report.faultsPerHour(), report.segmentsDropped(), report.violationCount());
        assertThat(report.violations()).isEmpty();
        assertThat(report.hours()).isGreaterThanOrEqualTo(HOURS);
        assertThat(report.faultsPerHour()).isGreaterThanOrEqualTo(FAULTS_PER_HOUR_MIN);
        assertThat(report.segmentsDropped()).isPositive();
        assertThat(report.most()).containsOnlyKeys(report.firstHour().keySet());
    }
}
