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
}
