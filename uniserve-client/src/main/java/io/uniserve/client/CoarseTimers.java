package io.uniserve.client;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Timers of all operations on one thread. Nearly all of them are cancelled soon (a hedge that was not needed), so setting
 * one must not wake the thread: while timers are being set it looks up every {@value #TICK_NANOS} ns, and only a timer that
 * is due sooner than its next look wakes it. After {@value #IDLE_TICKS} looks with nothing to wait for it sleeps for good.
 * Timers are late by up to a tick. Safe for use by several threads.
 */
final class CoarseTimers implements Timers, AutoCloseable {
    private static final long TICK_NANOS = 4_000_000;
    private static final int IDLE_TICKS = 50;
    private static final int SWEEP_MIN = 1_024;
    private static final long FOREVER = Long.MAX_VALUE;

    private final Clock clock;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
    private long sequence;
    private int setSinceSweep;
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
        Alarm alarm = new Alarm(clock.nanos() + Math.max(0, delayNanos), task);
        lock.lock();
        try {
            alarm.order = sequence++;
            sweep();
            alarms.add(alarm);
            if (asleep || alarm.due - nextLook < 0) {
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
        return alarm;
    }

    /** Cancelled alarms are taken out when they may be half of all. */
    private void sweep() {
        if (++setSinceSweep > Math.max(SWEEP_MIN, alarms.size() / 2)) {
            alarms.removeIf(Alarm::cancelled);
            setSinceSweep = 0;
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
                due = poll();
                if (due == null) {
                    idle = alarms.isEmpty() ? idle + 1 : 0;
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

    private @Nullable Runnable poll() {
        long now = clock.nanos();
        for (Alarm first = alarms.peek(); first != null; first = alarms.peek()) {
            if (!first.cancelled() && first.due - now > 0) {
                return null;
            }
            alarms.remove();
            Runnable task = first.take();
            if (task != null) {
                return task;
            }
        }
        return null;
    }

    private long untilLook(long now) {
        Alarm first = alarms.peek();
        return first == null ? TICK_NANOS : Math.min(TICK_NANOS, Math.max(1, first.due - now));
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
            alarms.clear();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    private static final class Alarm implements Comparable<Alarm>, Cancel {
        private final long due;
        private long order;
        private volatile @Nullable Runnable task;

        private Alarm(long due, Runnable task) {
            this.due = due;
            this.task = task;
        }

        private boolean cancelled() {
            return task == null;
        }

        private @Nullable Runnable take() {
            Runnable taken = task;
            task = null;
            return taken;
        }

        @Override
        public void cancel() {
            task = null;
        }

        @Override
        public int compareTo(Alarm other) {
            int byTime = Long.signum(due - other.due);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }
}
