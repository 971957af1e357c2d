package io.uniserve.protocol.testing;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/** Virtual time: tasks run in the order of (time, sequence) when the test lets time pass. */
public final class TestingLoop implements Clock, Timers {
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::sequence));
    private long now = 1_000_000_000L;
    private long sequence;

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public Cancel after(long delayNanos, Runnable task) {
        Task entry = new Task(now + Math.max(0, delayNanos), sequence++, task);
        tasks.add(entry);
        return () -> tasks.remove(entry);
    }

    /** Runs a task after everything that is due already. */
    public void soon(Runnable task) {
        after(1_000, task);
    }

    /** Lets this much time pass. */
    public void run(long nanos) {
        long end = now + nanos;
        while (!tasks.isEmpty() && tasks.peek().at <= end) {
            step();
        }
        now = end;
    }

    /** Lets time pass until the condition holds; false if it does not within this time. */
    public boolean runUntil(BooleanSupplier condition, long nanos) {
        long end = now + nanos;
        while (!condition.getAsBoolean()) {
            if (tasks.isEmpty() || tasks.peek().at > end) {
                return false;
            }
            step();
        }
        return true;
    }

    private void step() {
        Task next = tasks.remove();
        now = Math.max(now, next.at);
        next.task.run();
    }

    private record Task(long at, long sequence, Runnable task) {}
}
