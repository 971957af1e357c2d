package io.uniserve.protocol.env;

/** One-shot timers on the machine's loop. */
public interface Timers {
    /** Runs the task on the loop after at least this time on this process's clock. */
    Cancel after(long delayNanos, Runnable task);

    /** Runs the task in a later turn of the loop, never inside this call. */
    default void post(Runnable task) {
        Cancel unused = after(0, task);
    }

    /** Handle that cancels a timer. */
    @FunctionalInterface
    interface Cancel {
        void cancel();
    }
}
