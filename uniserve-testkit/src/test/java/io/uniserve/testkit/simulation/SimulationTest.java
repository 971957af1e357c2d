package io.uniserve.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The simulation that every build runs: hours of faults without a violation, and the same history every time. */
final class SimulationTest {
    private static final int SEEDS = 180;
    private static final double HOURS_MIN = 5;
    private static final double OPERATIONS_PER_SECOND_MIN = 10;
    /** Of seeds with an actor that may have lost something, so that not all of it is judged. */
    private static final double EXCUSED_SHARE_MAX = 0.2;

    @Test
    void hoursOfFaultsBreakNoInvariant() {
        SimulationReport report = new Simulation(SimulationOptions.defaults()).run(1, SEEDS);
        assertThat(report.failed())
                .as(() -> report.failed().stream()
                        .map(SimulationTest::told)
                        .toList()
                        .toString())
                .isEmpty();
        assertThat(report.hours()).isGreaterThanOrEqualTo(HOURS_MIN);
        assertThat(report.operationsPerSecond()).isGreaterThanOrEqualTo(OPERATIONS_PER_SECOND_MIN);
        assertThat(report.faults()).hasSizeGreaterThan(15);
        assertThat(report.excusedShare()).as(() -> report.excused().toString()).isLessThan(EXCUSED_SHARE_MAX);
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        SimulationReport one = new Simulation(SimulationOptions.defaults().listening(first::add)).run(7, 9);
        SimulationReport two = new Simulation(SimulationOptions.defaults().listening(second::add)).run(7, 9);
        assertThat(second).isEqualTo(first);
        assertThat(two).isEqualTo(one);
        assertThat(new Simulation(SimulationOptions.defaults()).run(10, 10).hash())
                .isNotEqualTo(one.hash());
    }

    private static String told(SeedReport seed) {
        return seed.replay() + " " + seed.violations();
    }
}
