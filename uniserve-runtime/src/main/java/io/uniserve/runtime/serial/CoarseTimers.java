package io.uniserve.runtime.serial;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.loop.TimerHeap;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Timers of all operations on one thread. Nearly all are cancelled early (such as a hedge that was not needed), so setting one must
 * not wake the thread. The thread checks the timers once per tick; only a timer that is due before its next check wakes it. New
 * timers wait in a lock-free queue for the next check, so a timer that is cancelled before costs almost nothing. After
 * {@value #IDLE_NANOS} ns without new timers the thread sleeps until one is due, and any new one wakes it. Timers fire up to one tick late.
 * Thread-safe.
 */
public final class CoarseTimers implements Timers, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CoarseTimers.class);
    private static final long TICK_NANOS = 4_000_000;
    private static final long IDLE_NANOS = 200_000_000;

    private final Clock clock;
    private final long tickNanos;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<TimerHeap.Entry> newEntries = new ConcurrentLinkedQueue<>();
    private final TimerHeap timers = new TimerHeap();
    /** Consecutive checks without new timers. */
    private long idleChecks;

    private volatile boolean asleep;
    private volatile long nextCheckNanos;
    private volatile boolean closed;

    /** Starts the thread, with a tick of {@value #TICK_NANOS} ns. */
    public CoarseTimers(String name, Clock clock) {
        this(name, clock, TICK_NANOS);
    }

    /** Starts the thread. */
    public CoarseTimers(String name, Clock clock, long tickNanos) {
        this.clock = clock;
        this.tickNanos = tickNanos;
        this.nextCheckNanos = clock.nanos();
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public Cancel after(long delayNanos, Runnable task) {
        long due = clock.nanos() + Math.max(0, delayNanos);
        TimerHeap.Entry timer = TimerHeap.entry(due, task);
        if (closed) {
            return timer;
        }
        if (Thread.currentThread() == thread) {
            push(timer);
            return timer;
        }
        newEntries.add(timer);
        // The thread publishes its next check before it tests the queue, so either it finds the new timer or this
        // finds its value.
        if (asleep || due - nextCheckNanos < 0) {
            wake();
        }
        return timer;
    }

    private void push(TimerHeap.Entry timer) {
        lock.lock();
        try {
            timers.push(timer);
        } finally {
            lock.unlock();
        }
    }

    private void wake() {
        lock.lock();
        try {
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private boolean takeNewEntries() {
        boolean any = false;
        for (TimerHeap.Entry timer = newEntries.poll(); timer != null; timer = newEntries.poll()) {
            any = true;
            if (!timer.isEnded()) {
                timers.push(timer);
            }
        }
        return any;
    }

    private void run() {
        while (!closed) {
            try {
                Runnable due = next();
                if (due != null) {
                    due.run();
                }
            } catch (InterruptedException e) {
                // No code interrupts the thread; close() ends it.
                LOG.warn("{} was interrupted, ignoring it", thread.getName());
            } catch (RuntimeException | Error e) {
                LOG.error("{}: the task of a timer failed", thread.getName(), e);
            }
        }
    }

    /** Returns a task that is due; null after a while without one. */
    private @Nullable Runnable next() throws InterruptedException {
        lock.lock();
        try {
            idleChecks = takeNewEntries() ? 0 : idleChecks + 1;
            Runnable due = timers.poll(clock.nanos());
            if (due == null && !closed) {
                long next = timers.untilNext(clock.nanos());
                if (idleChecks * tickNanos >= IDLE_NANOS) {
                    sleep(next);
                } else {
                    awaitCheck(Math.min(tickNanos, Math.max(1, next)));
                }
            }
            return due;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a timer is due or set. */
    private void sleep(long nanos) throws InterruptedException {
        asleep = true;
        try {
            if (newEntries.isEmpty()) {
                await(nanos);
            }
        } finally {
            asleep = false;
        }
    }

    private void awaitCheck(long nanos) throws InterruptedException {
        nextCheckNanos = clock.nanos() + nanos;
        if (newEntries.isEmpty()) {
            await(nanos);
        }
    }

    private void await(long nanos) throws InterruptedException {
        if (nanos == Long.MAX_VALUE) {
            changed.await();
        } else {
            // The remaining time does not matter: the caller checks the queue again.
            long unused = changed.awaitNanos(Math.max(1, nanos));
        }
    }

    /** Stops the thread; pending timers do not fire. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            timers.clear();
            newEntries.clear();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}
