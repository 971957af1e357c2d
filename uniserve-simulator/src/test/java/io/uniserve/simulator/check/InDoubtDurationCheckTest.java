package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Measurement of the time in doubt, and the part of it that counts. */
final class InDoubtDurationCheckTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long BOUND = InDoubtDurationCheck.BOUND_NANOS / SECOND;

    private final EventQueue queue = new EventQueue();
    private final ViolationCollector violations = new ViolationCollector(queue, new EventTrace(queue, line -> {}));
    private final InDoubtDurationCheck watch = new InDoubtDurationCheck(violations);

    private void look(long fromSecond, long toSecond, Map<String, Boolean> doubts) {
        for (long second = fromSecond; second <= toSecond; second++) {
            watch.record(second * SECOND, doubts);
        }
    }

    @Test
    void whatEndsInTimeIsFine() {
        look(0, BOUND, Map.of("v1", true));
        look(BOUND + 1, BOUND + 1, Map.of());
        look(BOUND + 2, 2 * BOUND, Map.of("v1", true));
        assertThat(violations.kept()).isEmpty();
        assertThat(watch.longestNanos()).isEqualTo(BOUND * SECOND);
    }

    @Test
    void whatDoesNotEndIsToldOnceForEachTime() {
        look(0, 2 * BOUND + 2, Map.of("v1", true, "v2", false));
        assertThat(violations.kept()).hasSize(2).allSatisfy(violation -> {
            assertThat(violation.invariant()).isEqualTo("I15");
            assertThat(violation.toString()).contains("v1");
        });
    }

    /** After an obstacle the whole time is available again. */
    @Test
    void timeBeginsAnewWhenSomethingWasInTheWay() {
        look(0, BOUND - 1, Map.of("v1", true));
        look(BOUND, BOUND, Map.of("v1", false));
        look(BOUND + 1, 2 * BOUND + 1, Map.of("v1", true));
        assertThat(violations.kept()).isEmpty();
        look(2 * BOUND + 2, 2 * BOUND + 2, Map.of("v1", true));
        assertThat(violations.total()).isEqualTo(1);
    }
}
