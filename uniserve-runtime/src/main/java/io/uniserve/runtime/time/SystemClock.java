package io.uniserve.runtime.time;

import io.uniserve.protocol.env.Clock;

/** Monotonic clock of the process. */
public final class SystemClock implements Clock {
    /** The only instance. */
    public static final SystemClock INSTANCE = new SystemClock();

    private SystemClock() {}

    /** Wall clock in milliseconds since 1970. It may jump, so use it only for times that outlast the process. */
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
