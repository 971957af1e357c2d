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
 * Timers of all operations on one thread. Nearly all of them are cancelled soon (a hedge that was not needed), so setting
 * one must not wake the thread: while timers are being set it looks up once a tick, and only a timer that
 * is due sooner than its next look wakes it. New timers wait in a queue without a lock for the thread to look, so that one
 * cancelled before that costs next to nothing. After {@value #IDLE_NANOS} ns with nothing to wait for it sleeps for good.
 * Timers are late by up to a tick. Safe for use by several threads.
 */
public final class CoarseTimers implements Timers, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CoarseTimers.class);
    private static final long TICK_NANOS = 4_000_000;
    private static final long IDLE_NANOS = 200_000_000;
    private static final long FOREVER = Long.MAX_VALUE;

    private final Clock clock;
    private final long tickNanos;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<TimerHeap.Entry> fresh = new ConcurrentLinkedQueue<>();
    private final TimerHeap timers = new TimerHeap();
    /** Looks in a row with nothing to wait for. */
    private long idle;

    private volatile boolean asleep;
    private volatile long nextLook;
    private volatile boolean closed;

    /** Starts the thread, with a tick of {@value #TICK_NANOS} ns. */
    public CoarseTimers(String name, Clock clock) {
        this(name, clock, TICK_NANOS);
    }

    /** Starts the thread. */
    public CoarseTimers(String name, Clock clock, long tickNanos) {
        this.clock = clock;
        this.tickNanos = tickNanos;
        this.nextLook = clock.nanos();
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
        fresh.add(timer);
        // The thread says until when it waits and only then looks whether there are fresh ones: one of the two sees the
        // other.
        if (asleep || due - nextLook < 0) {
            wake();
        }
        return timer;
    }

    private void wake() {
        lock.lock();
        try {
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private void takeFresh() {
        for (TimerHeap.Entry timer = fresh.poll(); timer != null; timer = fresh.poll()) {
            if (!timer.isOver()) {
                timers.push(timer);
            }
        }
    }

    private void run() {
        while (!closed) {
            try {
                Runnable due = next();
                if (due != null) {
                    due.run();
                }
            } catch (InterruptedException e) {
                // Nobody has a reason to interrupt it: close() is how it ends.
                LOG.warn("{} was interrupted and goes on", thread.getName());
            } catch (RuntimeException | Error e) {
                LOG.error("{}: a timer's task failed, others go on", thread.getName(), e);
            }
        }
    }

    /** A task that is due; null where there was none, after a while. */
    private @Nullable Runnable next() throws InterruptedException {
        lock.lock();
        try {
            takeFresh();
            Runnable due = timers.poll(clock.nanos());
            if (due == null && !closed) {
                idle = timers.size() == 0 ? idle + 1 : 0;
                await(idle * tickNanos >= IDLE_NANOS ? FOREVER : untilLook(clock.nanos()));
            }
            return due;
        } finally {
            lock.unlock();
        }
    }

    private long untilLook(long now) {
        return Math.min(tickNanos, Math.max(1, timers.untilNext(now)));
    }

    private void await(long nanos) throws InterruptedException {
        if (nanos == FOREVER) {
            asleep = true;
            if (fresh.isEmpty()) {
                changed.await();
            }
            asleep = false;
        } else {
            nextLook = clock.nanos() + nanos;
            if (fresh.isEmpty()) {
                // What is left of the time does not matter: the queue is looked at again.
                long unused = changed.awaitNanos(nanos);
            }
        }
    }

    /** Ends the thread; timers that are set no longer ring. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            timers.clear();
            fresh.clear();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}
