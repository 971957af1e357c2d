package io.uniserve.protocol.replica;

import io.uniserve.limit.Limits;

/**
 * Finds the update that the engine cannot apply: where a batch failed its updates are given one by one to the engine that
 * was built anew, and the one that fails is counted.
 */
final class PoisonEntryDetector {
    private long from;
    private long through;
    private int failures;

    /** How many entries from this one on the engine may be given at once. */
    int batch(long next) {
        if (next > through) {
            return Limits.APPLY_BATCH_ENTRIES_MAX;
        }
        return next < from ? (int) Math.min(Limits.APPLY_BATCH_ENTRIES_MAX, from - next) : 1;
    }

    /**
     * A batch of updates from one index to another failed by what its rows are; true when it is certain which one it was.
     *
     * @param attempts after how many
     */
    boolean failed(long first, long last, int attempts) {
        boolean again = first == last && first == from && last == through;
        from = first;
        through = last;
        failures = again ? failures + 1 : 1;
        return first == last && failures >= attempts;
    }

    /** Entries up to here were applied. */
    void applied(long index) {
        if (index >= through) {
            from = 0;
            through = 0;
            failures = 0;
        }
    }
}
