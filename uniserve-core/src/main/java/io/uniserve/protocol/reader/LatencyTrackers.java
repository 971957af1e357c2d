package io.uniserve.protocol.reader;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A tracker per operator, since a count and a sort over millions of rows have little to say about each other. Beyond
 * {@value #OPERATORS_MAX} operators the rest share one. Safe for use by several threads.
 */
public final class LatencyTrackers {
    static final int OPERATORS_MAX = 256;

    private final Map<String, LatencyTracker> byOperator = new ConcurrentHashMap<>();
    private final LatencyTracker others = new LatencyTracker();

    /** The operator's tracker. */
    public LatencyTracker of(String operator) {
        LatencyTracker tracker = byOperator.get(operator);
        if (tracker != null) {
            return tracker;
        }
        return byOperator.size() >= OPERATORS_MAX
                ? others
                : byOperator.computeIfAbsent(operator, id -> new LatencyTracker());
    }
}
