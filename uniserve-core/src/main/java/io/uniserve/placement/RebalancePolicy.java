package io.uniserve.placement;

import java.util.List;

/**
 * Policy that chooses moves of replicas on a running cluster. A pure function: the same cluster gives the same moves.
 *
 * <p>A cluster that is sufficiently balanced gives no moves. The cluster after all moves of an earlier call must also give none, as long as
 * loads stay the same. Otherwise replicas move for ever.
 */
@FunctionalInterface
public interface RebalancePolicy {
    /**
     * The moves, most useful first, at most one per actor. Each assumes that those before it are done. The caller may do only some of them,
     * and then calls the policy again.
     */
    List<ReplicaMove> moves(LiveCluster cluster);
}
