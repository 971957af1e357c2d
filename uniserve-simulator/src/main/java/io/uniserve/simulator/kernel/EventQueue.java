package io.uniserve.simulator.kernel;

import java.util.PriorityQueue;

/**
 * Queue of all events of a simulation, ordered by virtual time and sequence number. The same seed gives the same order of events on every
 * machine. Not thread-safe: a simulation runs in one thread.
 */
public final class EventQueue {
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nowNanos;
    private long sequence;
    private long executed;

    /** Virtual time in nanoseconds since the start of the simulation. */
    public long now() {
        return nowNanos;
    }

    /** Number of events run so far. */
    public long executed() {
        return executed;
    }

    /**
     * Schedules the task at this virtual time, or now if that is past. It runs after all tasks that are already queued for the same time.
     */
    public Event at(long timeNanos, Runnable task) {
        Event event = new Event(Math.max(timeNanos, nowNanos), sequence++, task);
        events.add(event);
        return event;
    }

    /** Schedules the task after this virtual time. */
    public Event after(long delayNanos, Runnable task) {
        return at(nowNanos + delayNanos, task);
    }

    /** Runs the next event unless it is later than the limit; false if there is none. */
    public boolean step(long untilNanos) {
        Event next = events.peek();
        while (next != null && next.cancelled) {
            events.remove();
            next = events.peek();
        }
        if (next == null || next.timeNanos > untilNanos) {
            nowNanos = Math.max(nowNanos, untilNanos);
            return false;
        }
        events.remove();
        nowNanos = next.timeNanos;
        executed++;
        next.task.run();
        return true;
    }

    /** Scheduled task. */
    public static final class Event implements Comparable<Event> {
        private final long timeNanos;
        private final long sequence;
        private final Runnable task;
        private boolean cancelled;

        private Event(long timeNanos, long sequence, Runnable task) {
            this.timeNanos = timeNanos;
            this.sequence = sequence;
            this.task = task;
        }

        /** Cancels the task if it has not run. */
        public void cancel() {
            cancelled = true;
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(timeNanos, other.timeNanos);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }

        @Override
        public boolean equals(@org.jspecify.annotations.Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(sequence);
        }
    }
}
