package io.uniserve.protocol.testing;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Virtual time: tasks run in the order of (time, sequence) when the test advances it. */
public final class TestingLoop implements Clock, Timers {
    /** Wall clock at virtual time 0, in milliseconds since 1970; tests may change it. */
    public long wallStartMillis = 1_700_000_000_000L;

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::sequence));
    private long now = 1_000_000_000L;
    private long sequence;
    private @Nullable Random random;
    private long most;

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public long wallMillis() {
        return wallStartMillis + now / 1_000_000;
    }

    @Override
    public Cancel after(long delayNanos, Runnable task) {
        Task entry = new Task(now + Math.max(0, delayNanos), sequence++, task);
        tasks.add(entry);
        return () -> tasks.remove(entry);
    }

    /** Runs a task after all tasks that are already due. */
    public void soon(Runnable task) {
        after(1_000, task);
    }

    /** Makes messages, registry and disks take random times up to this maximum, from the seed. */
    public void uneven(long seed, long mostNanos) {
        random = new Random(seed);
        most = mostNanos;
    }

    /** Runs a task after the time of a message. */
    void later(Runnable task) {
        after(1_000 + jitter(), task);
    }

    /** As {@link #later}, but never before earlier tasks of the same queue. */
    void inOrder(AtomicLong queue, long leastNanos, Runnable task) {
        long at = Math.max(queue.get(), now + leastNanos + jitter());
        queue.set(at);
        after(at - now, task);
    }

    private long jitter() {
        return random == null ? 0 : random.nextLong(most);
    }

    /** Advances the time. */
    public void run(long nanos) {
        long end = now + nanos;
        while (!tasks.isEmpty() && tasks.peek().at <= end) {
            step();
        }
        now = end;
    }

    /** Advances the time until the condition holds; false if it does not hold in this time. */
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
