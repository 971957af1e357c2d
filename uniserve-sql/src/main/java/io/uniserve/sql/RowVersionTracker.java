package io.uniserve.sql;

import java.util.TreeMap;

/** The versions of an actor whose rows have them: the newest that is published, and those that are read. Safe for use by several threads. */
public final class RowVersionTracker {
    private final TreeMap<Integer, Integer> open = new TreeMap<>();
    private int newest;

    /** The one that is published. */
    public synchronized int newest() {
        return newest;
    }

    /** Publishes the next one. */
    public synchronized void advance() {
        newest++;
    }

    /** The newest one, which is kept until it is closed. */
    public synchronized int open() {
        open.merge(newest, 1, Integer::sum);
        return newest;
    }

    /** One reader less of this one. */
    public synchronized void close(int version) {
        open.computeIfPresent(version, (known, count) -> count == 1 ? null : count - 1);
    }

    /** The oldest one that is read, or else the newest. */
    public synchronized int oldest() {
        return open.isEmpty() ? newest : open.firstKey();
    }
}
