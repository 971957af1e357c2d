package io.uniserve.sql.engine;

import java.util.TreeMap;

/** Row versions of an actor: the newest published one, and those with open readers. Thread-safe. */
public final class RowVersionTracker {
    private final TreeMap<Integer, Integer> readersByVersion = new TreeMap<>();
    private int newest;

    /** Returns the newest published version. */
    public synchronized int newest() {
        return newest;
    }

    /** Publishes the next version. */
    public synchronized void advance() {
        newest++;
    }

    /** Opens the newest version for reading: its rows are kept until it is closed. */
    public synchronized int acquire() {
        readersByVersion.merge(newest, 1, Integer::sum);
        return newest;
    }

    /** Releases one reader of this version. */
    public synchronized void release(int version) {
        readersByVersion.computeIfPresent(version, (known, count) -> count == 1 ? null : count - 1);
    }

    /** Returns the oldest version with readers, or the newest if there are none. */
    public synchronized int oldest() {
        return readersByVersion.isEmpty() ? newest : readersByVersion.firstKey();
    }
}
