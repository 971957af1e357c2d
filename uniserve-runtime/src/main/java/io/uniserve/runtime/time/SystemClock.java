package io.uniserve.runtime.time;

import io.uniserve.protocol.env.Clock;
import org.slf4j.LoggerFactory;

/** Clocks of the process. */
public final class SystemClock implements Clock {
    /** The only instance. */
    public static final SystemClock INSTANCE = new SystemClock();

    private final ScaledWallClock wall = ScaledWallClock.parse(System.getProperty(ScaledWallClock.PROPERTY, ""));

    private SystemClock() {
        if (wall.speed() != 1) {
            LoggerFactory.getLogger(SystemClock.class)
                    .warn(
                            "{} is {}: the wall clock is wrong on purpose, for a test",
                            ScaledWallClock.PROPERTY,
                            wall.text());
        }
    }

    @Override
    public long wallMillis() {
        return wall.millisAt(System.currentTimeMillis());
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
