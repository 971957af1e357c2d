package io.uniserve.runtime.loop;

import io.uniserve.protocol.env.Timers;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Priority queue of timers by deadline, then by order of creation. Use from one thread or under a lock, but cancel from any thread. A
 * cancelled timer is skipped, and removed once half of the heap is dead, so that time-outs of fast requests do not accumulate.
 */
public final class TimerHeap {
    private static final int SWEEP_MIN = 64;

    private final PriorityQueue<Entry> heap = new PriorityQueue<>();
    private long sequence;
    private int sinceSweep;

    /** Sets a timer; the entry cancels it. */
    public Entry add(long dueNanos, Runnable task) {
        return push(new Entry(dueNanos, task));
    }

    /** Creates a timer without setting it. Thread-safe. */
    public static Entry entry(long dueNanos, Runnable task) {
        return new Entry(dueNanos, task);
    }

    /** Sets a timer that was created before. */
    public Entry push(Entry entry) {
        if (++sinceSweep > Math.max(SWEEP_MIN, heap.size() / 2)) {
            heap.removeIf(Entry::isEnded);
            sinceSweep = 0;
        }
        entry.order = sequence++;
        heap.add(entry);
        return entry;
    }

    /** Returns the next task that is due, or null. */
    public @Nullable Runnable poll(long nowNanos) {
        for (Entry first = heap.peek(); first != null; first = heap.peek()) {
            if (!first.isEnded() && first.dueNanos - nowNanos > 0) {
                return null;
            }
            heap.remove();
            Runnable task = first.takeTask();
            if (task != null) {
                return task;
            }
        }
        return null;
    }

    /** Nanoseconds until the next timer, at least 0; Long.MAX_VALUE if there is none. */
    public long untilNext(long nowNanos) {
        Entry first = heap.peek();
        return first == null ? Long.MAX_VALUE : Math.max(0, first.dueNanos - nowNanos);
    }

    /** Number of timers, including cancelled ones that are not removed yet. */
    public int size() {
        return heap.size();
    }

    /** Removes all timers. */
    public void clear() {
        heap.clear();
    }

    /** One timer. */
    public static final class Entry implements Comparable<Entry>, Timers.Cancel {
        private final long dueNanos;
        private volatile @Nullable Runnable task;
        private long order;

        Entry(long dueNanos, Runnable task) {
            this.dueNanos = dueNanos;
            this.task = task;
        }

        /** True if the timer has fired or was cancelled. */
        public boolean isEnded() {
            return task == null;
        }

        private @Nullable Runnable takeTask() {
            Runnable taken = task;
            task = null;
            return taken;
        }

        @Override
        public void cancel() {
            // Releases the task and all that it references at once; the entry leaves the heap later.
            task = null;
        }

        @Override
        public int compareTo(Entry other) {
            // A difference, as readings of a monotonic clock may wrap around.
            int byTime = Long.signum(dueNanos - other.dueNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }
}
