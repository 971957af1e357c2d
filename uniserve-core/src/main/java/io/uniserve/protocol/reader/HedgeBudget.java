package io.uniserve.protocol.reader;

/**
 * Keeps hedges a fixed share of all requests: every request earns a fraction of a hedge, up to {@value #SAVED_MAX} saved
 * ones, so that a cluster that is slow everywhere is not made slower by doubled load. Safe for use by several threads.
 */
public final class HedgeBudget {
    static final int SAVED_MAX = 10;
    private static final int ONE = 1_000;

    private final int permille;
    private int saved;

    public HedgeBudget(int permille) {
        this.permille = permille;
        this.saved = permille == 0 ? 0 : SAVED_MAX * ONE;
    }

    /** A request was sent. */
    public synchronized void earn() {
        saved = Math.min(SAVED_MAX * ONE, saved + permille);
    }

    /** Takes one hedge out of the budget; false when there is none left. */
    public synchronized boolean take() {
        if (saved < ONE) {
            return false;
        }
        saved -= ONE;
        return true;
    }
}
