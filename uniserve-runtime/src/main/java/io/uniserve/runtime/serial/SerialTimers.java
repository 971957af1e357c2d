package io.uniserve.runtime.serial;

import io.uniserve.protocol.env.Timers;
import java.util.concurrent.Executor;

/** Timers that fire on an operation's serial executor. */
public record SerialTimers(Timers timers, Executor serial) implements Timers {
    @Override
    public Cancel after(long delayNanos, Runnable task) {
        return timers.after(delayNanos, () -> serial.execute(task));
    }
}
