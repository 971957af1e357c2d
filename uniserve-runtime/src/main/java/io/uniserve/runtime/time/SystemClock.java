package io.uniserve.runtime.time;

import io.uniserve.protocol.env.Clock;

/** The process's monotonic clock. */
public final class SystemClock implements Clock {
    /** The one instance. */
    public static final SystemClock INSTANCE = new SystemClock();

    private SystemClock() {}

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
