package io.uniserve.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.workload.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Atomic tables that are partitioned by time, under faults: each version is whole or absent in the live chunks of every read. */
@Execution(ExecutionMode.CONCURRENT)
final class AtomicTimeSimulationTest {
    /** Seeds of the default build; {@code -Duniserve.time.seeds=N} runs more. */
    private static final int SEEDS =
            Integer.getInteger("uniserve.time.seeds", Boolean.getBoolean("uniserve.test.full") ? 60 : 6);

    private static final Pattern RESULT =
            Pattern.compile("atomic time compared (\\d+) rows, (\\d+) actors expired, (\\d+) commits");

    @Test
    void everyVersionIsWholeOrAbsent() {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        SimulationReport report = new Simulation(SimulationOptions.defaults()
                        .with(Workload.ATOMIC_TIME)
                        .withFaultSeconds(60)
                        .withListener(line -> {
                            if (line.contains("atomic time compared")) {
                                lines.add(line);
                            }
                        }))
                .run(1, SEEDS);
        assertThat(report.failed())
                .as(() -> report.failed().stream()
                        .map(SimulationTest::told)
                        .toList()
                        .toString())
                .isEmpty();
        assertThat(lines.stream().filter(line -> isMeaningful(line)))
                .as("seeds with rows to compare, commits and expired chunks: %s", lines)
                .hasSizeGreaterThan(SEEDS / 2);
        assertThat(report.faults().getOrDefault(Fault.MOMENT_READ, 0L))
                .as("snapshots")
                .isGreaterThan(SEEDS);
    }

    private static boolean isMeaningful(String line) {
        Matcher result = RESULT.matcher(line);
        return result.find()
                && Integer.parseInt(result.group(1)) > 1_000
                && Integer.parseInt(result.group(2)) > 0
                && Integer.parseInt(result.group(3)) > 20;
    }
}
