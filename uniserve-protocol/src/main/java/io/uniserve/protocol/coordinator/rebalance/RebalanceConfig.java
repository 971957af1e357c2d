package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/**
 * Limits of automatic rebalancing.
 *
 * @param periodNanos period between two collections of loads; 0 turns rebalancing off
 * @param movesMax maximum number of replicas that move at the same time in the cluster, manual moves included
 * @param movesPerServerMax maximum number of concurrent moves from or to one server
 */
public record RebalanceConfig(long periodNanos, int movesMax, int movesPerServerMax) {
    public RebalanceConfig {
        if (periodNanos < 0
                || movesMax < 1
                || movesMax > Limits.REBALANCE_MOVES_MAX
                || movesPerServerMax < 1
                || movesPerServerMax > Limits.REBALANCE_MOVES_MAX) {
            throw UniserveException.invalid("period " + periodNanos + ", moves " + movesMax + ", moves per server "
                    + movesPerServerMax + ": use a period of at least 0, and 1 to " + Limits.REBALANCE_MOVES_MAX
                    + " moves");
        }
    }

    /** Without automatic rebalancing. */
    public static RebalanceConfig off() {
        return new RebalanceConfig(0, 1, 1);
    }

    boolean isEnabled() {
        return periodNanos > 0;
    }
}
