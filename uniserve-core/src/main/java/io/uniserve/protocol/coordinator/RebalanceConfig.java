package io.uniserve.protocol.coordinator;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/**
 * When a leader moves replicas by itself.
 *
 * @param periodNanos how often loads are gathered and judged; 0 for never
 * @param movesMax replicas on their way at once in the cluster, those moved by hand included
 * @param movesPerServerMax replicas that leave, or that are copied to, one server at once
 */
public record RebalanceConfig(long periodNanos, int movesMax, int movesPerServerMax) {
    public RebalanceConfig {
        if (periodNanos < 0
                || movesMax < 1
                || movesMax > Limits.REBALANCE_MOVES_MAX
                || movesPerServerMax < 1
                || movesPerServerMax > Limits.REBALANCE_MOVES_MAX) {
            throw UniserveException.invalid("period " + periodNanos + ", moves " + movesMax + ", moves of a server "
                    + movesPerServerMax + ": use a period of at least 0, and 1 to " + Limits.REBALANCE_MOVES_MAX
                    + " moves");
        }
    }

    /** Nothing moves by itself. */
    public static RebalanceConfig off() {
        return new RebalanceConfig(0, 1, 1);
    }

    boolean on() {
        return periodNanos > 0;
    }
}
