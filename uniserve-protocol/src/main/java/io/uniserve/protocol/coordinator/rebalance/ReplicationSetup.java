package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.error.UniserveException;
import io.uniserve.placement.ReplicationPolicy;

/**
 * Automatic replication of a coordinator.
 *
 * @param policy policy that proposes changes
 * @param isEnabled false if there are no automatic copies; the policy is then not called
 * @param coolDownNanos time after a new copy in which its actor loses none, and after a dropped copy in which its actor gets none
 */
public record ReplicationSetup(ReplicationPolicy policy, boolean isEnabled, long coolDownNanos) {
    public ReplicationSetup {
        if (coolDownNanos < 0) {
            throw UniserveException.invalid("cool-down is " + coolDownNanos + " ns: use 0 or more");
        }
    }

    /** Without automatic copies. */
    public static ReplicationSetup off() {
        return new ReplicationSetup(ReplicationPolicy.none(), false, 0);
    }

    /** With automatic copies. */
    public static ReplicationSetup of(ReplicationPolicy policy, long coolDownNanos) {
        return new ReplicationSetup(policy, true, coolDownNanos);
    }
}
