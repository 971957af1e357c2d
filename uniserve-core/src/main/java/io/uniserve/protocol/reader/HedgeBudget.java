package io.uniserve.protocol.reader;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps hedges a fixed share of all requests: every request earns a fraction of a hedge, up to {@value #SAVED_MAX} saved
 * ones, so that a cluster that is slow everywhere is not made slower by doubled load. Safe for use by several threads.
 */
public final class HedgeBudget {
    static final int SAVED_MAX = 10;
    private static final int ONE = 1_000;

    private final int permille;
    private final AtomicInteger saved;

    public HedgeBudget(int permille) {
        this.permille = permille;
        this.saved = new AtomicInteger(permille == 0 ? 0 : SAVED_MAX * ONE);
    }

    /** A request was sent. */
    public void earn() {
        if (permille > 0 && saved.get() < SAVED_MAX * ONE) {
            saved.addAndGet(permille);
        }
    }

    /** Takes one hedge out of the budget; false when there is none left. */
    public boolean take() {
        int before = saved.get();
        while (before >= ONE) {
            if (saved.compareAndSet(before, before - ONE)) {
                return true;
            }
            before = saved.get();
        }
        return false;
    }
}
