package io.uniserve.protocol.client.routing;

/**
 * Limit of hedges to a fixed share of all requests. Each request earns a fraction of a hedge, and up to {@value #SAVED_MAX} hedges can be
 * saved. So a cluster that is slow everywhere does not get doubled load. Thread-safe.
 */
public final class HedgeBudget {
    public static final int SAVED_MAX = 10;
    private static final int ONE = 1_000;

    private final int permille;
    private int saved;

    public HedgeBudget(int permille) {
        this.permille = permille;
        this.saved = permille == 0 ? 0 : SAVED_MAX * ONE;
    }

    /** Called for each request that is sent. */
    public synchronized void onRequest() {
        saved = Math.min(SAVED_MAX * ONE, saved + permille);
    }

    /** Takes one hedge from the budget; false if the budget is empty. */
    public synchronized boolean tryTake() {
        if (saved < ONE) {
            return false;
        }
        saved -= ONE;
        return true;
    }
}
