package io.uniserve.protocol.server;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Timer for a server's periodic work. It sleeps until the next work is due, so an idle server costs almost nothing. */
final class ServerWorkTimer {
    private final Clock clock;
    private final Timers timers;
    private final long tickNanos;
    private final LongUnaryOperator task;
    private Timers.@Nullable Cancel next;
    private long nextAt;

    /**
     * @param tickNanos the shortest time between two ticks
     * @param task runs the work that is due at the given time, and returns the nanoseconds until the next work
     */
    ServerWorkTimer(Clock clock, Timers timers, long tickNanos, LongUnaryOperator task) {
        this.clock = clock;
        this.timers = timers;
        this.tickNanos = tickNanos;
        this.task = task;
    }

    /** Runs a tick now, and schedules the next ones. */
    void start() {
        run();
    }

    /** Schedules a tick within the shortest time. Has no effect before the start. */
    void scheduleSoon() {
        Timers.Cancel waiting = next;
        if (waiting != null && nextAt - clock.nanos() > tickNanos) {
            waiting.cancel();
            schedule(tickNanos);
        }
    }

    void stop() {
        if (next != null) {
            next.cancel();
        }
        next = null;
    }

    private void run() {
        next = null;
        long quiet = task.applyAsLong(clock.nanos());
        if (quiet != Long.MAX_VALUE) {
            schedule(Math.max(tickNanos, quiet));
        }
    }

    private void schedule(long delayNanos) {
        nextAt = clock.nanos() + delayNanos;
        next = timers.after(delayNanos, this::run);
    }
}
