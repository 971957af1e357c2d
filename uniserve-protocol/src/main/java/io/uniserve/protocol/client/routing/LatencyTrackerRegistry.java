package io.uniserve.protocol.client.routing;

/**
 * Latency trackers by operator, because a count and a sort over millions of rows have different latencies. Beyond {@value #OPERATORS_MAX}
 * operators, the others share one tracker. Thread-safe.
 */
public final class LatencyTrackerRegistry {
    static final int OPERATORS_MAX = 256;

    private final CopyOnWriteMap<String, LatencyTracker> byOperator = new CopyOnWriteMap<>();
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
