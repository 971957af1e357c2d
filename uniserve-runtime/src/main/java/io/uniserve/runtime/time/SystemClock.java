package io.uniserve.runtime.time;

import io.uniserve.protocol.env.Clock;

/** The process's monotonic clock. */
public final class SystemClock implements Clock {
    /** The one instance. */
    public static final SystemClock INSTANCE = new SystemClock();

    private SystemClock() {}

    /** The wall clock, in milliseconds since 1970: it may jump, so it is for times that outlive the process alone. */
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
