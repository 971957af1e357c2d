package io.uniserve.protocol.reader;

/**
 * A tracker per operator, since a count and a sort over millions of rows have little to say about each other. Beyond
 * {@value #OPERATORS_MAX} operators the rest share one. Safe for use by several threads.
 */
public final class LatencyTrackers {
    static final int OPERATORS_MAX = 256;

    private final CopyOnWriteIndex<String, LatencyTracker> byOperator = new CopyOnWriteIndex<>();
    private final LatencyTracker others = new LatencyTracker();

    /** The operator's tracker. */
    public LatencyTracker of(String operator) {
        LatencyTracker tracker = byOperator.get(operator);
        if (tracker != null) {
            return tracker;
        }
        return byOperator.size() >= OPERATORS_MAX ? others : byOperator.get(operator, LatencyTracker::new);
    }
}
