package io.uniserve.benchmark.chaos;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Network faults between processes, by direction. A blocked link holds bytes back, like a network that loses packets: they arrive when it
 * heals, unless an end has closed the connection. Thread-safe.
 */
final class LinkFaultInjector {
    private record Link(String from, String to) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition healed = lock.newCondition();
    private final Map<Link, Integer> partitions = new HashMap<>();
    private final Map<Link, Integer> delays = new HashMap<>();
    private boolean closed;

    /** Blocks a direction until {@link #heal}. */
    void partition(String from, String to) {
        lock.lock();
        try {
            partitions.merge(new Link(from, to), 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    /** Removes one block. */
    void heal(String from, String to) {
        lock.lock();
        try {
            partitions.computeIfPresent(new Link(from, to), (way, count) -> count > 1 ? count - 1 : null);
            healed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Delays bytes in a direction; 0 ends the delay. */
    void delay(String from, String to, int millis) {
        lock.lock();
        try {
            if (millis == 0) {
                delays.remove(new Link(from, to));
            } else {
                delays.put(new Link(from, to), millis);
            }
            healed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Removes all blocks and delays. */
    void healAll() {
        lock.lock();
        try {
            partitions.clear();
            delays.clear();
            healed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            healed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until bytes may pass. Returns false after closing. */
    boolean awaitPassage(String from, String to) throws InterruptedException {
        Link way = new Link(from, to);
        lock.lock();
        try {
            Integer late = delays.get(way);
            long left = late == null ? 0 : TimeUnit.MILLISECONDS.toNanos(late);
            while (!closed && left > 0 && delays.containsKey(way)) {
                left = healed.awaitNanos(left);
            }
            while (!closed && partitions.containsKey(way)) {
                healed.await();
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }
}
