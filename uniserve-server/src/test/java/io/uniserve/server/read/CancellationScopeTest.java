package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.QueryCancellation;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Work that is stopped when its caller gives up. */
class CancellationScopeTest {
    private final List<Runnable> timers = new ArrayList<>();
    private final CancellationScope cancellationScope = new CancellationScope(this::after);
    private final AtomicInteger stops = new AtomicInteger();

    private Timers.Cancel after(long nanos, Runnable task) {
        timers.add(task);
        return () -> timers.remove(task);
    }

    private void ring() {
        List<Runnable> due = List.copyOf(timers);
        timers.clear();
        due.forEach(Runnable::run);
    }

    @Test
    void workIsStoppedUntilItHasEnded() {
        QueryCancellation.Watch work = cancellationScope.whenGone(stops::incrementAndGet);
        assertThat(cancellationScope.gone()).isFalse();
        assertThat(stops).hasValue(0);
        cancellationScope.leave();
        assertThat(cancellationScope.gone()).isTrue();
        assertThat(stops).hasValue(1);
        ring();
        ring();
        assertThat(stops).as("it came before the work had begun").hasValue(3);
        work.close();
        assertThat(timers).isEmpty();
        cancellationScope.leave();
        assertThat(stops).hasValue(3);
    }

    @Test
    void aStopThatFailsKeepsNoOtherFromItsOwnAndIsTriedAgain() {
        AtomicInteger failures = new AtomicInteger();
        QueryCancellation.Watch failing = cancellationScope.whenGone(() -> {
            failures.incrementAndGet();
            throw new IllegalStateException("the statement is closed");
        });
        QueryCancellation.Watch other = cancellationScope.whenGone(stops::incrementAndGet);
        cancellationScope.leave();
        assertThat(failures).hasValue(1);
        assertThat(stops).hasValue(1);
        ring();
        assertThat(failures).hasValue(2);
        assertThat(stops).hasValue(2);
        failing.close();
        other.close();
        assertThat(timers).isEmpty();
    }

    @Test
    void workThatBeginsLaterIsStoppedAtOnce() {
        cancellationScope.leave();
        try (QueryCancellation.Watch unused = cancellationScope.whenGone(stops::incrementAndGet)) {
            assertThat(stops).hasValue(1);
        }
        assertThat(timers).isEmpty();
    }

    @Test
    void workThatHasEndedIsLeftAlone() {
        cancellationScope.whenGone(stops::incrementAndGet).close();
        cancellationScope.leave();
        assertThat(stops).hasValue(0);
        assertThat(timers).isEmpty();
    }
}
