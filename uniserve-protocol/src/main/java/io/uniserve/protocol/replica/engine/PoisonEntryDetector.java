package io.uniserve.protocol.replica.engine;

import io.uniserve.limit.Limits;

/**
 * Detector of an update that the engine cannot apply. After a batch fails, its updates are applied one by one by the rebuilt engine, and
 * failures of one update are counted.
 */
final class PoisonEntryDetector {
    private long from;
    private long through;
    private int failures;

    /** Number of entries from this one on that may be applied in one batch. */
    int batchSize(long next) {
        if (next > through) {
            return Limits.APPLY_BATCH_ENTRIES_MAX;
        }
        return next < from ? (int) Math.min(Limits.APPLY_BATCH_ENTRIES_MAX, from - next) : 1;
    }

    /**
     * Handles the failure of a batch of updates whose error blames the rows. Returns true when the faulty update is certain.
     *
     * @param attempts number of failures of a single update after which it is certain
     */
    boolean onFailure(long first, long last, int attempts) {
        boolean again = first == last && first == from && last == through;
        from = first;
        through = last;
        failures = again ? failures + 1 : 1;
        return first == last && failures >= attempts;
    }

    /** Notes that entries up to this index are applied. */
    void onApplied(long index) {
        if (index >= through) {
            from = 0;
            through = 0;
            failures = 0;
        }
    }
}
