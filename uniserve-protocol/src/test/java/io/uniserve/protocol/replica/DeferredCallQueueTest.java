package io.uniserve.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.testing.TestingLoop;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeferredCallQueueTest {
    private static final long SECOND = 1_000_000_000L;

    private final TestingLoop loop = new TestingLoop();
    private final Clock clock = loop;
    private final Timers timers = loop;
    private final DeferredCallQueue calls = new DeferredCallQueue(clock, timers, 2, 100);
    private final List<String> gone = new ArrayList<>();
    private boolean ripe;

    private boolean hold(String name, int bytes, long nanos) {
        return calls.defer(clock.nanos() + nanos, bytes, () -> ripe, () -> gone.add(name));
    }

    @Test
    void whoWaitsGoesOnInItsOrderOnceItIsRipe() {
        assertThat(hold("a", 10, SECOND)).isTrue();
        assertThat(hold("b", 10, SECOND)).isTrue();
        calls.scheduleCheck();
        loop.run(SECOND / 10);
        assertThat(gone).isEmpty();
        ripe = true;
        calls.scheduleCheck();
        assertThat(gone).as("not inside of the call").isEmpty();
        loop.run(1);
        assertThat(gone).containsExactly("a", "b");
        assertThat(calls.isEmpty()).isTrue();
    }

    @Test
    void nobodyWaitsForLongerThanItsTime() {
        assertThat(hold("a", 10, SECOND)).isTrue();
        loop.run(SECOND);
        calls.scheduleCheck();
        loop.run(1);
        assertThat(gone).containsExactly("a");
        assertThat(hold("late", 10, 0)).isFalse();
    }

    @Test
    void thereIsABoundToHowManyWaitAndToTheirBytes() {
        assertThat(hold("large", 101, SECOND)).isFalse();
        assertThat(hold("a", 60, SECOND)).isTrue();
        assertThat(hold("more bytes than are left", 41, SECOND)).isFalse();
        assertThat(hold("b", 40, SECOND)).isTrue();
        assertThat(hold("one too many", 0, SECOND)).isFalse();
        calls.close();
        assertThat(gone).containsExactly("a", "b");
        assertThat(hold("again", 100, SECOND)).isTrue();
    }
}
