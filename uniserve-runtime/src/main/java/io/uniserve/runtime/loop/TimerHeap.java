package io.uniserve.runtime.loop;

import io.uniserve.protocol.env.Timers;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Timers by deadline, then by order of creation. One thread at a time, or under a lock, except that a timer may be cancelled
 * from anywhere: it is then skipped, and swept out once half of the heap is dead, so that the time-outs of fast requests do
 * not pile up.
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

    /** A timer that is not set yet; may be made on any thread. */
    public static Entry entry(long dueNanos, Runnable task) {
        return new Entry(dueNanos, task);
    }

    /** Sets a timer that was made before. */
    public Entry push(Entry entry) {
        if (++sinceSweep > Math.max(SWEEP_MIN, heap.size() / 2)) {
            heap.removeIf(Entry::isOver);
            sinceSweep = 0;
        }
        entry.order = sequence++;
        heap.add(entry);
        return entry;
    }

    /** The next task that is due, or null. */
    public @Nullable Runnable poll(long nowNanos) {
        for (Entry first = heap.peek(); first != null; first = heap.peek()) {
            if (!first.isOver() && first.dueNanos - nowNanos > 0) {
                return null;
            }
            heap.remove();
            Runnable task = first.take();
            if (task != null) {
                return task;
            }
        }
        return null;
    }

    /** Nanoseconds until the next timer, at least 0; Long.MAX_VALUE without one. */
    public long untilNext(long nowNanos) {
        Entry first = heap.peek();
        return first == null ? Long.MAX_VALUE : Math.max(0, first.dueNanos - nowNanos);
    }

    /** Timers that are set, among them cancelled ones that were not swept out yet. */
    public int size() {
        return heap.size();
    }

    /** Forgets all timers. */
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

        /** True when it rang or was cancelled. */
        public boolean isOver() {
            return task == null;
        }

        private @Nullable Runnable take() {
            Runnable taken = task;
            task = null;
            return taken;
        }

        @Override
        public void cancel() {
            // The task, and all it holds on to, is let go of at once; the entry leaves the heap later.
            task = null;
        }

        @Override
        public int compareTo(Entry other) {
            // Differences, as readings of a monotonic clock may wrap.
            int byTime = Long.signum(dueNanos - other.dueNanos);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }
}
