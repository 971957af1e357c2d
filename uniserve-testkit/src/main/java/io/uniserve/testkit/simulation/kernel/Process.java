package io.uniserve.testkit.simulation.kernel;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A simulated operating system process: its loop, clock and timers. What was posted before a crash never runs after it;
 * what comes due in a pause runs, in order, when the pause ends.
 */
public final class Process {
    /** Two clocks that differ by less than 1% in rate when each is within this many millionths. */
    public static final long DRIFT_PER_MILLION_MAX = 4_900;

    private static final long BUSY_NANOS = 2_000_000;

    private final String name;
    private final EventQueue queue;
    private final Prng random;
    private final BiConsumer<Process, Throwable> failed;
    private final List<Runnable> whenBusy = new ArrayList<>();
    /** What came while the process was paused, in order. */
    private final Set<Deferred> deferred = new LinkedHashSet<>();

    private boolean alive;
    private int generation;
    private long pausedUntil;
    private long clockBase;
    private long driftPerMillion;
    private int pending;

    /** @param failed hears of an exception that left the machine's code */
    public Process(String name, EventQueue queue, Prng random, BiConsumer<Process, Throwable> failed) {
        this.name = name;
        this.queue = queue;
        this.random = random;
        this.failed = failed;
    }

    public String name() {
        return name;
    }

    public boolean alive() {
        return alive;
    }

    public boolean paused() {
        return alive && queue.now() < pausedUntil;
    }

    /** Counts the starts; tasks of an earlier one never run. */
    public int generation() {
        return generation;
    }

    /** Starts the process with a clock of its own. */
    public void start(long driftOfThisStart) {
        alive = true;
        generation++;
        pausedUntil = 0;
        pending = 0;
        clockBase = random.below(1L << 50);
        driftPerMillion = driftOfThisStart;
        whenBusy.clear();
    }

    /** kill -9. */
    public void crash() {
        if (alive) {
            alive = false;
        }
    }

    /** Runs the task a moment after the process begins its next operation, while that may be under way. */
    public void whenBusy(Runnable task) {
        whenBusy.add(task);
    }

    /** SIGSTOP for this long; the clock goes on. */
    public void pause(long durationNanos) {
        pausedUntil = Math.max(pausedUntil, queue.now() + durationNanos);
    }

    /** SIGCONT: what came meanwhile runs now, timers and the ends of operations too. */
    public void resume() {
        if (paused()) {
            pausedUntil = queue.now();
            List.copyOf(deferred).forEach(Deferred::hurry);
        }
    }

    /** Operations under way: a fault that meets none is not counted. */
    public int pending() {
        return pending;
    }

    /** Runs a task on the process's loop after this much virtual time. */
    public EventQueue.Event post(long delayNanos, Runnable task) {
        int posted = generation;
        return queue.after(delayNanos, () -> run(posted, task));
    }

    /** Wraps a completion so that it runs once, on the loop, and the operation counts as pending until then. */
    public <T> Pending<T> begin(Completion<T> completion) {
        pending++;
        if (!whenBusy.isEmpty()) {
            List<Runnable> tasks = List.copyOf(whenBusy);
            whenBusy.clear();
            tasks.forEach(task -> queue.after(random.below(BUSY_NANOS), task));
        }
        return new Pending<>(completion, generation);
    }

    private void run(int posted, Runnable task) {
        if (!alive || posted != generation) {
            return;
        }
        if (queue.now() < pausedUntil) {
            new Deferred(posted, task);
            return;
        }
        try {
            task.run();
        } catch (RuntimeException | StackOverflowError | AssertionError e) {
            failed.accept(this, e);
        }
    }

    /** A task that waits for the end of a pause. */
    private final class Deferred implements Runnable {
        private final int posted;
        private final Runnable task;
        private final EventQueue.Event event;

        private Deferred(int posted, Runnable task) {
            this.posted = posted;
            this.task = task;
            this.event = queue.at(pausedUntil, this);
            deferred.add(this);
        }

        private void hurry() {
            event.cancel();
            queue.at(queue.now(), this);
        }

        @Override
        public void run() {
            deferred.remove(this);
            Process.this.run(posted, task);
        }
    }

    /** The process's monotonic clock: its own start value and rate. */
    public Clock clock() {
        return () -> clockBase + queue.now() + queue.now() / 1_000_000 * driftPerMillion;
    }

    /** Virtual time that passes while the process's clock shows this duration. */
    public long virtual(long localNanos) {
        return localNanos - localNanos / 1_000_000 * driftPerMillion + localNanos / 10_000;
    }

    public Timers timers() {
        return (delayNanos, task) -> post(virtual(Math.max(0, delayNanos)), task)::cancel;
    }

    /** An operation under way. */
    public final class Pending<T> {
        private final Completion<T> completion;
        private final int started;
        private boolean done;

        private Pending(Completion<T> completion, int started) {
            this.completion = completion;
            this.started = started;
        }

        /** True when it has ended or its process has. */
        public boolean over() {
            return done || !alive || started != generation;
        }

        /** The caller no longer wants the end. */
        public void forget() {
            if (!over()) {
                done = true;
                pending--;
            }
        }

        /** Ends the operation after a delay unless something else ends it before, or the start that began it is over. */
        public EventQueue.Event end(long delayNanos, Outcome<T> outcome) {
            return queue.after(
                    delayNanos,
                    () -> run(started, () -> {
                        if (!done) {
                            done = true;
                            pending--;
                            completion.done(outcome);
                        }
                    }));
        }
    }
}
