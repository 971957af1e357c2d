package io.uniserve.runtime.serial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.time.SystemClock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoarseTimersTest {
    private static final long MS = 1_000_000;

    private final CoarseTimers timers = new CoarseTimers("test-timers", SystemClock.INSTANCE);

    @AfterEach
    void close() {
        timers.close();
        timers.close();
    }

    @Test
    void ringInOrderAndNeverEarly() {
        List<Integer> rung = new CopyOnWriteArrayList<>();
        long start = SystemClock.INSTANCE.nanos();
        List<Long> times = new CopyOnWriteArrayList<>();
        for (int i : new int[] {30, 10, 20}) {
            Timers.Cancel unused = timers.after(i * MS, () -> {
                rung.add(i);
                times.add(SystemClock.INSTANCE.nanos() - start - i * MS);
            });
        }
        await().until(() -> rung.size() == 3);
        assertThat(rung).containsExactly(10, 20, 30);
        assertThat(times).allMatch(late -> late >= 0);
    }

    @Test
    void cancelledOnesDoNotRing() {
        List<Integer> rung = new CopyOnWriteArrayList<>();
        timers.after(5 * MS, () -> rung.add(1)).cancel();
        Timers.Cancel unused = timers.after(20 * MS, () -> rung.add(2));
        await().until(() -> !rung.isEmpty());
        assertThat(rung).containsExactly(2);
    }

    @Test
    void wakesFromItsLongSleep() {
        List<Integer> rung = new CopyOnWriteArrayList<>();
        Timers.Cancel first = timers.after(500 * MS, () -> rung.add(1));
        await().until(() -> rung.size() == 1);
        Timers.Cancel second = timers.after(MS, () -> rung.add(2));
        await().until(() -> rung.size() == 2);
        first.cancel();
        second.cancel();
    }

    @Test
    void wakesFromItsLongSleepBesideATimerThatIsNotDue() {
        List<Integer> rung = new CopyOnWriteArrayList<>();
        Timers.Cancel far = timers.after(3_600_000 * MS, () -> rung.add(3));
        Timers.Cancel first = timers.after(500 * MS, () -> {
            Timers.Cancel unused = timers.after(300 * MS, () -> rung.add(1));
        });
        await().until(() -> rung.equals(List.of(1)));
        Timers.Cancel second = timers.after(MS, () -> rung.add(2));
        await().until(() -> rung.equals(List.of(1, 2)));
        far.cancel();
        first.cancel();
        second.cancel();
    }

    @Test
    void aTaskThatThrowsLeavesTheOthers() {
        List<Integer> rung = new CopyOnWriteArrayList<>();
        Timers.Cancel first = timers.after(MS, () -> {
            throw new StackOverflowError("on purpose");
        });
        Timers.Cancel second = timers.after(2 * MS, () -> Thread.currentThread().interrupt());
        Timers.Cancel third = timers.after(20 * MS, () -> rung.add(3));
        await().until(() -> rung.size() == 1);
        first.cancel();
        second.cancel();
        third.cancel();
    }

    @Test
    void aLongTickKeepsNoneThatIsDueSooner() {
        List<Integer> rung = new CopyOnWriteArrayList<>();
        try (CoarseTimers coarse = new CoarseTimers("coarse", SystemClock.INSTANCE, 3_600_000 * MS)) {
            Timers.Cancel late = coarse.after(3_600_000 * MS, () -> rung.add(2));
            Timers.Cancel soon = coarse.after(10 * MS, () -> rung.add(1));
            await().until(() -> rung.equals(List.of(1)));
            late.cancel();
            soon.cancel();
        }
    }
}
