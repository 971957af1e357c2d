package io.uniserve.server.read.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {
    private static final long DEADLINE = 1_000_000_000;
    private static final long LONG_AFTER = 10 * DEADLINE;

    private final AtomicLong now = new AtomicLong();
    private final WorkerPool pool = new WorkerPool("test", 1, now::get);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger inside = new AtomicInteger();

    @AfterEach
    void close() {
        release.countDown();
        pool.stop(60_000_000_000L);
    }

    private void hang() {
        try (WorkerPool.EngineCall ignored = pool.enterEngine(DEADLINE, null)) {
            inside.incrementAndGet();
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aThreadIsStuckAWhileAfterItsDeadlineUntilItComesBack() {
        pool.execute(this::hang);
        await().until(() -> inside.get() == 1);
        now.set(DEADLINE + 1);
        assertThat(pool.stuckThreads()).isZero();
        now.set(LONG_AFTER);
        assertThat(pool.stuckThreads()).isEqualTo(1);
        release.countDown();
        await().until(() -> pool.stuckThreads() == 0);
    }

    @Test
    void anotherTakesThePlaceOfOneThatIsStuck() {
        AtomicInteger ran = new AtomicInteger();
        pool.execute(this::hang);
        await().until(() -> inside.get() == 1);
        pool.execute(ran::incrementAndGet);
        pool.compensate();
        assertThat(ran.get()).isZero();
        now.set(LONG_AFTER);
        pool.compensate();
        await().until(() -> ran.get() == 1);
        release.countDown();
        await().until(() -> pool.stuckThreads() == 0);
        pool.compensate();
        await().until(() -> pool.idleThreads() == 1);
    }

    @Test
    void noMoreTakePlacesThanMay() {
        for (int i = 0; i < WorkerPool.REPLACED_MAX + 5; i++) {
            pool.execute(this::hang);
        }
        now.set(LONG_AFTER);
        for (int threads = 1; threads <= WorkerPool.REPLACED_MAX + 1; threads++) {
            int expected = threads;
            await().pollInterval(Duration.ofMillis(2)).until(() -> inside.get() == expected);
            pool.compensate();
        }
        pool.compensate();
        assertThat(pool.stuckThreads()).isEqualTo(WorkerPool.REPLACED_MAX + 1);
        assertThat(pool.idleThreads()).isZero();
    }

    @Test
    void aLentThreadIsNotMadeUpFor() {
        pool.runOnCallerThread(FairShareKey.NONE, this::hang, task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            thread.start();
        });
        await().until(() -> inside.get() == 1);
        now.set(LONG_AFTER);
        assertThat(pool.stuckThreads()).isZero();
    }

    private void waitInside() {
        inside.incrementAndGet();
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatIsBriefGoesOnBesideLongTasksOfAnotherClient() {
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 4; i++) {
            pool.execute(new FairShareKey("slow", "one"), this::waitInside);
        }
        await().until(() -> inside.get() == 1);
        pool.execute(new FairShareKey("other", "two"), ran::incrementAndGet);
        pool.compensate();
        assertThat(ran.get())
                .as("the only thread is taken, and may be given back soon")
                .isZero();
        now.set(LONG_AFTER);
        pool.compensate();
        await().until(() -> ran.get() == 1);
        assertThat(inside.get()).as("a table has no more threads than the pool").isEqualTo(1);
        pool.execute(new FairShareKey("other", "one"), ran::incrementAndGet);
        pool.execute(new FairShareKey("slow", "two"), ran::incrementAndGet);
        pool.execute(new FairShareKey("third", "three"), ran::incrementAndGet);
        await().until(() -> ran.get() == 3);
        assertThat(ran.get())
                .as("nor has a client; another client of the slow table goes on")
                .isEqualTo(3);
        release.countDown();
        await().until(() -> ran.get() == 4 && inside.get() == 4);
    }

    @Test
    void sharesTakeTurns() {
        List<String> order = new CopyOnWriteArrayList<>();
        pool.execute(this::waitInside);
        await().until(() -> inside.get() == 1);
        for (int i = 0; i < 3; i++) {
            String number = "many" + i;
            pool.execute(new FairShareKey("t", "many"), () -> order.add(number));
        }
        pool.execute(new FairShareKey("t", "few"), () -> order.add("few"));
        release.countDown();
        await().until(() -> order.size() == 4);
        assertThat(order).containsExactly("many0", "few", "many1", "many2");
    }

    @Test
    void aTaskWhoseCallerLeftIsStuckAWhileAfter() {
        CancellationScope cancellationScope = new CancellationScope((nanos, task) -> () -> {});
        pool.execute(() -> {
            try (WorkerPool.EngineCall ignored = pool.enterEngine(Long.MAX_VALUE, cancellationScope)) {
                waitInside();
            }
        });
        await().until(() -> inside.get() == 1);
        now.set(LONG_AFTER);
        assertThat(pool.stuckThreads()).isZero();
        cancellationScope.cancel();
        assertThat(pool.stuckThreads()).as("it may be about to end").isZero();
        now.set(2 * LONG_AFTER);
        assertThat(pool.stuckThreads()).isEqualTo(1);
        release.countDown();
        await().until(() -> pool.stuckThreads() == 0);
    }

    @Test
    void whatWaitsForItsTurnRunsBeforeThePoolEnds() {
        AtomicInteger ran = new AtomicInteger();
        pool.execute(new FairShareKey("t", "c"), this::waitInside);
        await().until(() -> inside.get() == 1);
        for (int i = 0; i < 5; i++) {
            pool.execute(new FairShareKey("t", "c"), ran::incrementAndGet);
        }
        now.set(LONG_AFTER);
        pool.compensate();
        release.countDown();
        pool.stop(60_000_000_000L);
        assertThat(ran.get()).isEqualTo(5);
        assertThat(pool.execute(new FairShareKey("t", "c"), ran::incrementAndGet))
                .isFalse();
    }
}
