package io.uniserve.runtime.time;

import io.uniserve.protocol.env.Clock;

/** Clocks of the process. */
public final class SystemClock implements Clock {
    /** The only instance. */
    public static final SystemClock INSTANCE = new SystemClock();

    private final ScaledWallClock wall = ScaledWallClock.parse(System.getProperty(ScaledWallClock.PROPERTY, ""));

    private SystemClock() {}

    @Override
    public long wallMillis() {
        return wall.millisAt(System.currentTimeMillis());
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
