package io.uniserve.runtime.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.time.SystemClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventLoopTest {
    private final AtomicReference<Throwable> fatal = new AtomicReference<>();
    private final EventLoop loop = new EventLoop("test-loop", SystemClock.INSTANCE, fatal::set);

    @AfterEach
    void close() {
        loop.close();
    }

    @Test
    void runsTasksOfOneThreadInOrderOnItsOwnThread() {
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            loop.execute(() -> {
                assertThat(loop.isLoopThread()).isTrue();
                seen.add(number);
            });
        }
        loop.close();
        assertThat(seen).hasSize(1_000).isSorted();
        assertThat(fatal.get()).isNull();
    }

    @Test
    void runsTimersByDeadlineAndNotCancelledOnes() throws InterruptedException {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(1);
        loop.execute(() -> {
            Timers.Cancel never = loop.after(1_000_000, () -> seen.add("cancelled"));
            Timers.Cancel last = loop.after(30_000_000, done::countDown);
            Timers.Cancel second = loop.after(10_000_000, () -> seen.add("second"));
            Timers.Cancel first = loop.after(5_000_000, () -> seen.add("first"));
            never.cancel();
            assertThat(List.of(last, second, first)).doesNotContainNull();
        });
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(seen).containsExactly("first", "second");
    }

    @Test
    void takesTimersOfOtherThreads() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        Timers.Cancel timer = loop.after(1, done::countDown);
        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
        timer.cancel();
    }

    @Test
    void stopsForGoodWhenATaskFails() {
        AtomicInteger later = new AtomicInteger();
        IllegalStateException failure = new IllegalStateException("broken");
        loop.execute(() -> {
            loop.execute(later::incrementAndGet);
            throw failure;
        });
        await().untilAsserted(() -> assertThat(fatal.get()).isSameAs(failure));
        assertThat(loop.tryExecute(later::incrementAndGet)).isFalse();
        assertThat(later).hasValue(0);
    }

    @Test
    void shedsRequestsBeforeCompletions() throws InterruptedException {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch blocked = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        loop.execute(() -> {
            blocked.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        blocked.await();
        int taken = 0;
        while (loop.tryExecute(ran::incrementAndGet)) {
            taken++;
        }
        assertThat(taken).isEqualTo(EventLoop.QUEUE_SHED_TASKS);
        loop.execute(ran::incrementAndGet);
        release.countDown();
        loop.close();
        assertThat(ran).hasValue(taken + 1);
    }

    @Test
    void letsGoOfCancelledTimers() {
        TimerHeap heap = new TimerHeap();
        for (int i = 0; i < 100_000; i++) {
            heap.add(Long.MAX_VALUE / 2, () -> {}).cancel();
        }
        assertThat(heap.size()).isLessThan(1_000);
    }
}
