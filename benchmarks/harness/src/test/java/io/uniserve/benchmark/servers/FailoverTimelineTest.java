package io.uniserve.benchmark.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.benchmark.servers.FailoverTimeline.Outcome;
import org.junit.jupiter.api.Test;

class FailoverTimelineTest {
    private static final long SECOND = 1_000_000_000;
    private static final long KILL = 100 * SECOND;

    private final FailoverTimeline timeline = new FailoverTimeline(KILL);

    private void add(double start, double end, Outcome outcome) {
        timeline.add(KILL + (long) (start * SECOND), KILL + (long) (end * SECOND), outcome);
    }

    @Test
    void nothingIsAffectedIfAllQueriesAreRightAndQuick() {
        add(0, 0.1, Outcome.RIGHT);
        add(0.1, 1.0, Outcome.RIGHT);
        assertThat(timeline.rightAgainSeconds()).isZero();
        assertThat(timeline.count(Outcome.RIGHT)).isEqualTo(2);
    }

    @Test
    void theLastAffectedQueryCounts() {
        add(0, 0.5, Outcome.FAILED);
        add(0.5, 0.6, Outcome.RIGHT);
        add(0.6, 0.7, Outcome.WRONG);
        add(0.7, 2.5, Outcome.RIGHT);
        add(2.5, 2.6, Outcome.RIGHT);
        assertThat(timeline.rightAgainSeconds()).isEqualTo(2.5, within(1e-6));
        assertThat(timeline.count(Outcome.SLOW)).isEqualTo(1);
        assertThat(timeline.count(Outcome.FAILED)).isEqualTo(1);
        assertThat(timeline.count(Outcome.WRONG)).isEqualTo(1);
        assertThat(timeline.queries()).isEqualTo(5);
    }

    @Test
    void calmAfterTwentyRightQueriesInARow() {
        for (int i = 0; i < FailoverTimeline.CALM_QUERIES - 1; i++) {
            add(i, i + 0.1, Outcome.RIGHT);
        }
        assertThat(timeline.isCalm()).isFalse();
        add(20, 20.1, Outcome.FAILED);
        for (int i = 0; i < FailoverTimeline.CALM_QUERIES; i++) {
            assertThat(timeline.isCalm()).isFalse();
            add(21 + i, 21.1 + i, Outcome.RIGHT);
        }
        assertThat(timeline.isCalm()).isTrue();
        assertThat(timeline.rightAgainSeconds()).isEqualTo(20.1, within(1e-6));
    }
}
