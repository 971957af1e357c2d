package io.uniserve.protocol.server;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The clockwork of a server: it sleeps until something is due, so that a server with nothing to do costs next to nothing. */
final class Ticker {
    private final Clock clock;
    private final Timers timers;
    private final long tickNanos;
    private final LongUnaryOperator task;
    private Timers.@Nullable Cancel next;
    private long nextAt;

    /**
     * @param tickNanos the shortest time between two ticks
     * @param task does what is due at the given time and returns how long nothing else will be
     */
    Ticker(Clock clock, Timers timers, long tickNanos, LongUnaryOperator task) {
        this.clock = clock;
        this.timers = timers;
        this.tickNanos = tickNanos;
        this.task = task;
    }

    /** Ticks now and from then on. */
    void start() {
        run();
    }

    /** Something waits for time to pass: ticks within the shortest time. Nothing before the start. */
    void soon() {
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
