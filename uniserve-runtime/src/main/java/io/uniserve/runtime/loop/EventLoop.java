package io.uniserve.runtime.loop;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event loop: one named thread that runs tasks in order of arrival and timers by deadline. A state machine runs on it without locks.
 * Tasks must not block. A task that throws leaves the state machine in an unknown state, so the loop stops for good, drops queued
 * tasks and calls the fatal handler. Thread-safe.
 */
public final class EventLoop implements Executor, Timers, AutoCloseable {
    /** Number of queued tasks above which {@link #tryExecute} rejects: new requests are rejected before completions are delayed. */
    public static final int QUEUE_SHED_TASKS = 65_536;

    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    private final Clock clock;
    private final Consumer<Throwable> fatal;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final TimerHeap timers = new TimerHeap();
    private ArrayDeque<Runnable> queue = new ArrayDeque<>();
    private ArrayDeque<Runnable> batch = new ArrayDeque<>();
    private boolean closing;
    private volatile boolean stopped;

    /**
     * Starts the loop's thread.
     *
     * @param fatal receives the exception of a failed task, on the loop's thread, after the loop has stopped
     */
    public EventLoop(String name, Clock clock, Consumer<Throwable> fatal) {
        this.clock = clock;
        this.fatal = fatal;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Queues a task. A running loop never rejects it, so that completions are not lost; a closed loop drops it. */
    @Override
    public void execute(Runnable task) {
        offer(task, Integer.MAX_VALUE);
    }

    /** Queues a task unless the loop is overloaded or closed; false if it will not run. */
    public boolean tryExecute(Runnable task) {
        return offer(task, QUEUE_SHED_TASKS);
    }

    private boolean offer(Runnable task, int queueMax) {
        lock.lock();
        try {
            if (closing || stopped || queue.size() >= queueMax) {
                return false;
            }
            queue.add(task);
            if (queue.size() == 1) {
                arrived.signal();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Cancel after(long delayNanos, Runnable task) {
        TimerHeap.Entry entry = new TimerHeap.Entry(clock.nanos() + Math.max(0, delayNanos), task);
        if (isLoopThread()) {
            timers.push(entry);
        } else {
            execute(() -> timers.push(entry));
        }
        return entry;
    }

    /** True on the loop's own thread. */
    public boolean isLoopThread() {
        return Thread.currentThread() == thread;
    }

    /** Number of queued tasks. */
    public int queuedTasks() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    /** Rejects new tasks, runs queued ones, drops timers and stops the thread. Waits for this unless called on the loop. */
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
        if (isLoopThread()) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (fillBatch()) {
                runDueTimers();
                for (Runnable task = batch.poll(); task != null; task = batch.poll()) {
                    task.run();
                }
            }
            stopped = true;
        } catch (Throwable e) {
            stopped = true;
            LOG.error("{} stops: a task failed", thread.getName(), e);
            fatal.accept(e);
        }
    }

    private void runDueTimers() {
        long now = clock.nanos();
        for (Runnable task = timers.poll(now); task != null; task = timers.poll(now)) {
            task.run();
        }
    }

    /** Waits for tasks or a timer and takes all tasks; false if the loop is closed and empty. */
    private boolean fillBatch() {
        lock.lock();
        try {
            while (queue.isEmpty() && !closing) {
                long wait = timers.untilNext(clock.nanos());
                if (wait <= 0) {
                    break;
                }
                await(wait);
            }
            ArrayDeque<Runnable> full = queue;
            queue = batch;
            batch = full;
            return !(closing && batch.isEmpty());
        } finally {
            lock.unlock();
        }
    }

    private void await(long nanos) {
        try {
            if (nanos == Long.MAX_VALUE) {
                arrived.await();
            } else {
                // The caller checks its conditions again, so the remaining time does not matter.
                long unused = arrived.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            // No code interrupts the loop; close() ends it.
            LOG.warn("{} was interrupted, ignoring it", thread.getName());
        }
    }
}
