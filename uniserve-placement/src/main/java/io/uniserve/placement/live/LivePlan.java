package io.uniserve.placement.live;

import io.uniserve.model.ReplicaKey;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationPolicy.Change;
import io.uniserve.placement.ReplicationPolicy.Finding;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.run.PlacementStatus;
import java.util.List;

/**
 * Whole answer of a policy for a running cluster, as changes of replicas.
 *
 * @param status status of the placement after all changes. A plan that is INFEASIBLE or REJECTED has no changes
 * @param reasons constraints that the placement breaks, and notes of the policy; one sentence each
 * @param before properties of the current placement, by the independent checker
 * @param after properties after all changes
 * @param moves moves, most load first; an actor may have several
 * @param copies copies to make, then shares of queries, then copies to drop; an actor may have several
 * @param findings what the limits on copies refused, and copies that stay; one per actor
 */
public record LivePlan(
        PlacementStatus status,
        List<String> reasons,
        PlacementProperties before,
        PlacementProperties after,
        List<ReplicaMove> moves,
        List<Change> copies,
        List<Finding> findings) {
    public LivePlan {
        reasons = List.copyOf(reasons);
        moves = List.copyOf(moves);
        copies = List.copyOf(copies);
        findings = List.copyOf(findings);
    }

    /** True if the plan is the policy's. */
    public boolean isTaken() {
        return status == PlacementStatus.BALANCED || status == PlacementStatus.BEST_EFFORT;
    }

    /** True if nothing changes. */
    public boolean isEmpty() {
        return moves.isEmpty() && copies.isEmpty();
    }

    /** True if the plan changes the actor. */
    public boolean changes(ReplicaKey key) {
        return moves.stream().anyMatch(move -> move.key().equals(key))
                || copies.stream().anyMatch(change -> change.key().equals(key));
    }
}
