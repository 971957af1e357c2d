package io.uniserve.server.read.worker;

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
        QueryCancellation.Watch work = cancellationScope.onCancel(stops::incrementAndGet);
        assertThat(cancellationScope.isCancelled()).isFalse();
        assertThat(stops).hasValue(0);
        cancellationScope.cancel();
        assertThat(cancellationScope.isCancelled()).isTrue();
        assertThat(stops).hasValue(1);
        ring();
        ring();
        assertThat(stops).as("it came before the work had begun").hasValue(3);
        work.close();
        assertThat(timers).isEmpty();
        cancellationScope.cancel();
        assertThat(stops).hasValue(3);
    }

    @Test
    void aStopThatFailsKeepsNoOtherFromItsOwnAndIsTriedAgain() {
        AtomicInteger failures = new AtomicInteger();
        QueryCancellation.Watch failing = cancellationScope.onCancel(() -> {
            failures.incrementAndGet();
            throw new IllegalStateException("the statement is closed");
        });
        QueryCancellation.Watch other = cancellationScope.onCancel(stops::incrementAndGet);
        cancellationScope.cancel();
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
        cancellationScope.cancel();
        try (QueryCancellation.Watch unused = cancellationScope.onCancel(stops::incrementAndGet)) {
            assertThat(stops).hasValue(1);
        }
        assertThat(timers).isEmpty();
    }

    @Test
    void workThatHasEndedIsLeftAlone() {
        cancellationScope.onCancel(stops::incrementAndGet).close();
        cancellationScope.cancel();
        assertThat(stops).hasValue(0);
        assertThat(timers).isEmpty();
    }
}
