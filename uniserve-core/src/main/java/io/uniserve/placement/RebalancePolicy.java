package io.uniserve.placement;

import java.util.List;

/**
 * Decides which replicas of a running cluster should be elsewhere. A pure function: the same cluster gives the same moves. A
 * cluster that is balanced well enough gives none, and so does one on which the moves of an earlier answer have been made, as
 * long as loads stay; else replicas wander for ever.
 */
@FunctionalInterface
public interface RebalancePolicy {
    /**
     * The moves, most useful first, each as if those before it had been made; at most one of an actor. Fewer may be made, and
     * the policy is asked again then.
     */
    List<ReplicaMove> moves(LiveCluster cluster);
}
