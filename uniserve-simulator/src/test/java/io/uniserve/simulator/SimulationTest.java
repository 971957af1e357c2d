package io.uniserve.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The simulation of every build: hours of faults without a violation, and the same history each time. */
@Execution(ExecutionMode.CONCURRENT)
final class SimulationTest {
    private static final Logger LOG = LoggerFactory.getLogger(SimulationTest.class);
    private static final int SEEDS = Boolean.getBoolean("uniserve.test.full") ? 180 : 32;
    private static final double HOURS_MIN = SEEDS / 36.0;
    private static final double OPERATIONS_PER_SECOND_MIN = 10;
    static final double FAULTS_PER_HOUR_MIN = 200;
    private static final long COMPARED_MIN = 55L * SEEDS;
    /** Maximum share of seeds with an actor that may have lost data, which the checks do not cover completely. */
    static final double EXCUSED_SHARE_MAX = 0.2;

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
        assertThat(report.faultsPerHour()).isGreaterThanOrEqualTo(FAULTS_PER_HOUR_MIN);
        assertThat(report.coverage().digests()).as("replicas compared").isGreaterThanOrEqualTo(COMPARED_MIN);
        assertThat(report.faults()).hasSizeGreaterThan(15);
        assertThat(report.excusedShare()).as(() -> report.excused().toString()).isLessThan(EXCUSED_SHARE_MAX);
        LOG.info("{}", ledgerRow(report));
    }

    /** Row of docs/benchmarks/simulation.md. */
    static String ledgerRow(SimulationReport report) {
        return String.format(
                Locale.ROOT,
                "| %d..%d of a test run | %.2f | %,d | %.1f | %,.0f faults an hour, %d seeds excused | %d | `%s` |",
                report.seedFrom(),
                report.seedTo(),
                report.hours(),
                report.operations(),
                report.operationsPerSecond(),
                report.faultsPerHour(),
                report.excusedSeeds(),
                report.violations(),
                report.hash());
    }

    /** Seed 91 found a bug that lower seeds did not. */
    @Test
    void seed91BreaksNoInvariant() {
        SimulationReport report = new Simulation(SimulationOptions.defaults()).run(91, 91);
        assertThat(report.failed().stream().map(SimulationTest::told)).isEmpty();
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        List<String> first = new ArrayList<>();
        List<String> second = new ArrayList<>();
        SimulationReport one = new Simulation(SimulationOptions.defaults().withListener(first::add)).run(7, 9);
        SimulationReport two = new Simulation(SimulationOptions.defaults().withListener(second::add)).run(7, 9);
        assertThat(second).isEqualTo(first);
        assertThat(two).isEqualTo(one);
        assertThat(new Simulation(SimulationOptions.defaults()).run(10, 10).hash())
                .isNotEqualTo(one.hash());
    }

    static String told(SeedReport seed) {
        return seed.replay() + " " + seed.violations();
    }
}
