package io.uniserve.api.extra;

import java.util.TreeMap;

/**
 * Row versions of an actor that stores each row with the versions that inserted and ended it: the newest published version, and those with
 * open readers. A {@link RevocableActor} of an engine without long transactions is built with it.
 *
 * <p>Thread-safe.
 *
 * <pre>{@code
 * int version = tracker.acquire();
 * try {
 *     return select("since <= " + version + " AND until > " + version);
 * } finally {
 *     tracker.release(version);
 * }
 * }</pre>
 */
public final class RowVersionTracker {
    private final TreeMap<Integer, Integer> readersByVersion = new TreeMap<>();
    private int newest;

    /** Returns the newest published version, 0 at first. */
    public synchronized int newest() {
        return newest;
    }

    /** Publishes the next version. */
    public synchronized void advance() {
        newest++;
    }

    /** Opens the newest version for reading: its rows are kept until it is released. */
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
