package io.uniserve.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.workload.Workload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A table that is partitioned by time, under faults: chunks are made by two clients at once, and expire while they are written and read. */
@Execution(ExecutionMode.CONCURRENT)
final class TimeSimulationTest {
    /** Seeds of the default build; {@code -Duniserve.time.seeds=N} runs more. */
    private static final int SEEDS = Integer.getInteger("uniserve.time.seeds", 12);

    @Test
    void chunksAreMadeAndExpireUnderFaults() {
        StringBuilder lines = new StringBuilder();
        SimulationReport report = new Simulation(SimulationOptions.defaults()
                        .with(Workload.TIME)
                        .withFaultSeconds(40)
                        .withListener(line -> {
                            if (line.contains("times compared")) {
                                synchronized (lines) {
                                    lines.append(line);
                                }
                            }
                        }))
                .run(1, SEEDS);
        assertThat(report.failed())
                .as(() -> report.failed().stream()
                        .map(SimulationTest::told)
                        .toList()
                        .toString())
                .isEmpty();
        assertThat(lines.toString().lines().filter(line -> !line.contains("compared 0 rows")))
                .as("seeds whose reads were compared and whose chunks expired")
                .filteredOn(line -> !line.contains(" 0 actors expired"))
                .hasSizeGreaterThan(SEEDS / 2);
        assertThat(lines.toString().lines().filter(line -> !line.contains(" 0 rows restored")))
                .as("seeds whose backups were restored and compared")
                .hasSizeGreaterThan(SEEDS / 12);
    }
}
