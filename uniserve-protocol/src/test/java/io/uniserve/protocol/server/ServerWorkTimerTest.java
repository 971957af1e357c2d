package io.uniserve.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.protocol.testing.TestingLoop;
import org.junit.jupiter.api.Test;

/** Wake-ups of a server: when a task is due, and at once when a request waits. */
class ServerWorkTimerTest {
    private static final long TICK = 50;

    private final TestingLoop loop = new TestingLoop();
    private long quiet;
    private int ticks;
    private final ServerWorkTimer ticker = new ServerWorkTimer(loop, loop, TICK, now -> {
        ticks++;
        return quiet;
    });

    @Test
    void ticksAtOnceAndThenAsOftenAsIsWanted() {
        ticker.start();
        assertThat(ticks).isEqualTo(1);
        loop.run(10 * TICK);
        assertThat(ticks).isEqualTo(11);
    }

    @Test
    void sleepsWhileNothingIsDue() {
        quiet = 10 * TICK;
        ticker.start();
        loop.run(10 * TICK - 1);
        assertThat(ticks).isEqualTo(1);
        loop.run(1);
        assertThat(ticks).isEqualTo(2);
    }

    @Test
    void somethingThatWaitsEndsTheSleepWithinATick() {
        quiet = 10 * TICK;
        ticker.start();
        loop.run(3 * TICK);
        ticker.scheduleSoon();
        ticker.scheduleSoon();
        loop.run(TICK - 1);
        assertThat(ticks).isEqualTo(1);
        loop.run(1);
        assertThat(ticks).isEqualTo(2);
        loop.run(10 * TICK - 1);
        assertThat(ticks).as("the tick that was planned before is gone").isEqualTo(2);
    }

    @Test
    void whatIsDueSoonerIsNotPutOff() {
        quiet = 10 * TICK;
        ticker.start();
        loop.run(10 * TICK - 1);
        ticker.scheduleSoon();
        loop.run(1);
        assertThat(ticks).isEqualTo(2);
    }

    @Test
    void doesNothingBeforeTheStartNorAfterTheStop() {
        ticker.scheduleSoon();
        loop.run(10 * TICK);
        assertThat(ticks).isZero();
        ticker.start();
        ticker.stop();
        ticker.scheduleSoon();
        loop.run(10 * TICK);
        assertThat(ticks).isEqualTo(1);
    }
}
