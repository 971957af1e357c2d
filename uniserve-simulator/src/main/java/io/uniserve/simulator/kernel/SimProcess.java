package io.uniserve.simulator.kernel;

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
 * Simulated operating system process: its loop, clock and timers. A task posted before a crash never runs after it. Tasks that become due
 * in a pause run, in order, when the pause ends.
 */
public final class SimProcess {
    /** Maximum difference of a process's wall clock from the true time, at normal speed. */
    static final long WALL_SKEW_MILLIS = 1_000;

    /** Maximum drift of a clock in parts per million. The rates of two such clocks differ by less than 1 %. */
    public static final long DRIFT_PER_MILLION_MAX = 4_900;

    private static final long BUSY_NANOS = 2_000_000;

    private final String name;
    private final EventQueue queue;
    private final Prng random;
    private final BiConsumer<SimProcess, Throwable> failed;
    private final List<Runnable> whenBusy = new ArrayList<>();
    /** Tasks that became due in a pause, in order. */
    private final Set<Deferred> deferred = new LinkedHashSet<>();

    private boolean alive;
    private int generation;
    private long pausedUntil;
    private long clockBase;
    private long driftPerMillion;
    private WallTime wallTime;
    private int pending;

    /** @param failed handler of an exception that left the machine's code */
    public SimProcess(String name, EventQueue queue, Prng random, BiConsumer<SimProcess, Throwable> failed) {
        this.name = name;
        this.queue = queue;
        this.random = random;
        this.failed = failed;
        this.wallTime = new WallTime(queue);
    }

    /** Sets the true wall time that the wall clock follows. */
    public void useWallTime(WallTime time) {
        wallTime = time;
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

    /** Number of starts. Tasks of an earlier start never run. */
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

    /** Kills the process, as {@code kill -9} does. */
    public void crash() {
        if (alive) {
            alive = false;
        }
    }

    /** Runs the task shortly after the process starts its next operation, while that may be under way. */
    public void whenBusy(Runnable task) {
        whenBusy.add(task);
    }

    /** Pauses the process for this time, as SIGSTOP does. Its clock continues. */
    public void pause(long durationNanos) {
        pausedUntil = Math.max(pausedUntil, queue.now() + durationNanos);
    }

    /** Resumes the process, as SIGCONT does. Deferred tasks, timers and completions run now. */
    public void resume() {
        if (paused()) {
            pausedUntil = queue.now();
            List.copyOf(deferred).forEach(Deferred::runNow);
        }
    }

    /** Number of operations under way. A fault is counted only if there is one. */
    public int pending() {
        return pending;
    }

    /** Runs a task on the process's loop after this much virtual time. */
    public EventQueue.Event post(long delayNanos, Runnable task) {
        int posted = generation;
        return queue.after(delayNanos, () -> run(posted, task));
    }

    /** Wraps a completion so that it runs once, on the loop. The operation counts as pending until then. */
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

    /** Task that waits for the end of a pause. */
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

        private void runNow() {
            event.cancel();
            queue.at(queue.now(), this);
        }

        @Override
        public void run() {
            deferred.remove(this);
            SimProcess.this.run(posted, task);
        }
    }

    /** The process's clocks: the monotonic one with its own start value and rate, the wall clock with its own skew of at most a second. */
    public Clock clock() {
        return new Clock() {
            @Override
            public long nanos() {
                return clockBase + queue.now() + queue.now() / 1_000_000 * driftPerMillion;
            }

            @Override
            public long wallMillis() {
                long skew = Math.floorMod(clockBase, 2 * WALL_SKEW_MILLIS) - WALL_SKEW_MILLIS;
                return wallTime.millis(skew);
            }
        };
    }

    /** Virtual time that passes while the process's clock advances by this duration. */
    public long toVirtualNanos(long localNanos) {
        return localNanos - localNanos / 1_000_000 * driftPerMillion + localNanos / 10_000;
    }

    public Timers timers() {
        return (delayNanos, task) -> post(toVirtualNanos(Math.max(0, delayNanos)), task)::cancel;
    }

    /** Operation under way. */
    public final class Pending<T> {
        private final Completion<T> completion;
        private final int started;
        private boolean done;

        private Pending(Completion<T> completion, int started) {
            this.completion = completion;
            this.started = started;
        }

        /** True if the operation or its process has ended. */
        public boolean isEnded() {
            return done || !alive || started != generation;
        }

        /** Cancels the operation, because the caller does not need the result any more. */
        public void cancel() {
            if (!isEnded()) {
                done = true;
                pending--;
            }
        }

        /** Ends the operation after a delay, unless it has ended before or the process has restarted. */
        public EventQueue.Event complete(long delayNanos, Outcome<T> outcome) {
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
