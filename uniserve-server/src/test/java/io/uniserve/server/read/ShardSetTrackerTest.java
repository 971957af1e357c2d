package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.PeerReply.PopularSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Rates of sets of actors that are read together: correct while steady, bounded in number, and decaying. */
class ShardSetTrackerTest {
    private long now;
    private final ShardSetTracker sets = new ShardSetTracker(() -> now);

    private void pass(double seconds) {
        now += (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void aSteadyRateIsToldAfterSecondsAndAfterManyHalfLives() {
        for (int n = 0; n < 6_000; n++) {
            sets.record(1, List.of(1, 2));
            if (n % 2 == 0) {
                sets.record(1, List.of(3, 4));
            }
            pass(0.1);
            if (n == 200 || n == 5_999) {
                List<PopularSet> top = sets.top();
                assertThat(top).hasSize(2);
                assertThat(top.get(0).actors()).containsExactly(1, 2);
                assertThat(top.get(0).perSecond()).isCloseTo(10.0 * Limits.SHARD_SET_SAMPLE, within(1.0));
                assertThat(top.get(1).perSecond()).isCloseTo(5.0 * Limits.SHARD_SET_SAMPLE, within(1.0));
                assertThat(top.get(0).error()).isZero();
            }
        }
    }

    @Test
    void whatIsNoLongerAskedFades() {
        for (int n = 0; n < 600; n++) {
            sets.record(1, List.of(1, 2));
            pass(0.1);
        }
        double before = sets.top().get(0).perSecond();
        pass(600);
        assertThat(sets.top().get(0).perSecond()).isLessThan(before / 500);
        pass(1e9);
        assertThat(sets.top().get(0).perSecond()).isLessThan(1e-6);
    }

    @Test
    void memoryIsBoundedAndTheErrorTold() {
        int counters = Limits.SHARD_SET_COUNTERS;
        for (int n = 0; n < 4 * counters; n++) {
            sets.record(1, List.of(n, n + 1));
            sets.record(2, List.of(7, 8));
        }
        pass(1);
        List<PopularSet> top = sets.top();
        assertThat(top).hasSize(Limits.SHARD_SETS_TOLD_MAX);
        double total = 8.0 * counters * Limits.SHARD_SET_SAMPLE;
        assertThat(top.get(0).tableId()).isEqualTo(2);
        assertThat(top).allSatisfy(set -> assertThat(set.error()).isLessThanOrEqualTo(total / counters));
    }
}
