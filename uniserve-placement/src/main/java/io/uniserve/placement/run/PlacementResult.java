package io.uniserve.placement.run;

import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.model.Assignment;
import java.util.List;

/**
 * Result of a policy run.
 *
 * @param assignment the new placement; the old one if the status is INFEASIBLE or REJECTED
 * @param reasons deviations from the request, and notes of the policy; one sentence each
 * @param check its properties, by the independent checker
 */
public record PlacementResult(
        PlacementStatus status, List<String> reasons, Assignment assignment, PlacementProperties check) {
    public PlacementResult {
        reasons = List.copyOf(reasons);
    }

    /** True if the placement is the policy's. */
    public boolean isTaken() {
        return status == PlacementStatus.BALANCED || status == PlacementStatus.BEST_EFFORT;
    }
}
