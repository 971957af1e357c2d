package io.uniserve.client;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import io.uniserve.runtime.loop.TimerHeap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Timers of all operations on one thread. Nearly all of them are cancelled soon (a hedge that was not needed), so setting
 * one must not wake the thread: while timers are being set it looks up every {@value #TICK_NANOS} ns, and only a timer that
 * is due sooner than its next look wakes it. After {@value #IDLE_TICKS} looks with nothing to wait for it sleeps for good.
 * Timers are late by up to a tick. Safe for use by several threads.
 */
final class CoarseTimers implements Timers, AutoCloseable {
    private static final long TICK_NANOS = 4_000_000;
    private static final int IDLE_TICKS = 50;
    private static final long FOREVER = Long.MAX_VALUE;

    private final Clock clock;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final TimerHeap timers = new TimerHeap();
    private boolean asleep;
    private long nextLook;
    private boolean closed;

    CoarseTimers(String name, Clock clock) {
        this.clock = clock;
        this.nextLook = clock.nanos();
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public Cancel after(long delayNanos, Runnable task) {
        long due = clock.nanos() + Math.max(0, delayNanos);
        lock.lock();
        try {
            if (asleep || due - nextLook < 0) {
                changed.signal();
            }
            return timers.add(due, task);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        int idle = 0;
        while (true) {
            Runnable due;
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                due = timers.poll(clock.nanos());
                if (due == null) {
                    idle = timers.size() == 0 ? idle + 1 : 0;
                    await(idle >= IDLE_TICKS ? FOREVER : untilLook(clock.nanos()));
                }
            } catch (InterruptedException e) {
                return; // nobody else has this thread: it is meant to end
            } finally {
                lock.unlock();
            }
            if (due != null) {
                due.run();
            }
        }
    }

    private long untilLook(long now) {
        return Math.min(TICK_NANOS, Math.max(1, timers.untilNext(now)));
    }

    private void await(long nanos) throws InterruptedException {
        if (nanos == FOREVER) {
            asleep = true;
            changed.await();
            asleep = false;
        } else {
            nextLook = clock.nanos() + nanos;
            // What is left of the time does not matter: the queue is looked at again.
            long unused = changed.awaitNanos(nanos);
        }
    }

    /** Ends the thread; timers that are set no longer ring. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            timers.clear();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }
}
