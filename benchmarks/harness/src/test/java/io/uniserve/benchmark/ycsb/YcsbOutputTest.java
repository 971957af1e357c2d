package io.uniserve.benchmark.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.benchmark.ycsb.YcsbOutput.Latencies;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Output of the YCSB client. */
class YcsbOutputTest {
    private static final List<String> LINES = List.of(
            "Command line: -t -s",
            "[OVERALL], RunTime(ms), 2000",
            "[OVERALL], Throughput(ops/sec), 500.0",
            "[READ], Operations, 600",
            "[READ], AverageLatency(us), 1.23E3",
            "[READ], 50thPercentileLatency(us), 100",
            "[READ], 95thPercentileLatency(us), 200",
            "[READ], 99thPercentileLatency(us), 300",
            "[READ], Return=OK, 599",
            "[READ], Return=NOT_FOUND, 1",
            "[READ-FAILED], Operations, 1",
            "[UPDATE], Operations, 500",
            "[UPDATE], 50thPercentileLatency(us), 400",
            "[UPDATE], 95thPercentileLatency(us), 500",
            "[UPDATE], 99thPercentileLatency(us), 600",
            "[UPDATE], Return=OK, 400",
            "[UPDATE], Return=BATCHED_OK, 100",
            "[READ-MODIFY-WRITE], Operations, 100",
            "[Intended-READ], Operations, 600",
            "[Intended-READ], 50thPercentileLatency(us), 1000",
            "[Intended-READ], 95thPercentileLatency(us), 2000",
            "[Intended-READ], 99thPercentileLatency(us), 3000",
            "[VERIFY], Operations, 599",
            "[VERIFY], Return=OK, 597",
            "[VERIFY], Return=UNEXPECTED_STATE, 2",
            "[CLEANUP], Operations, 8",
            "[UNISERVE-CPU], Milliseconds, 750");

    private final YcsbOutput output = YcsbOutput.parse(LINES);

    @Test
    void operationsAreThoseOfTheBinding() {
        assertThat(output.operations()).isEqualTo(1_100);
        assertThat(output.transactions()).isEqualTo(1_000);
        assertThat(output.clientCpuMs()).isEqualTo(750);
    }

    /** The workload itself counts read-modify-writes, also those of the warm-up. */
    @Test
    void readModifyWritesOfTheWarmUpAreNotSubtracted() {
        List<String> lines = new ArrayList<>(LINES);
        lines.replaceAll(
                line -> line.replace("[READ-MODIFY-WRITE], Operations, 100", "[READ-MODIFY-WRITE], Operations, 517"));
        assertThat(YcsbOutput.parse(lines).transactions()).isEqualTo(600);
    }

    @Test
    void latenciesAreFromTheIntendedStart() {
        assertThat(output.latencies(true))
                .containsExactly(
                        new Latencies("READ", 600, 1_000, 2_000, 3_000), new Latencies("UPDATE", 500, 400, 500, 600));
        assertThat(output.latencies(false)).first().isEqualTo(new Latencies("READ", 600, 100, 200, 300));
    }

    @Test
    void everyStatusButSuccessIsAFailure() {
        assertThat(output.failures()).containsExactly("READ NOT_FOUND: 1", "VERIFY UNEXPECTED_STATE: 2");
        assertThat(output.verified()).isEqualTo(597);
    }

    @Test
    void anOutputWithoutATotalIsNone() {
        assertThatThrownBy(() -> YcsbOutput.parse(List.of("java.lang.NoClassDefFoundError")))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("no run time")
                .hasMessageContaining("NoClassDefFoundError");
    }
}
