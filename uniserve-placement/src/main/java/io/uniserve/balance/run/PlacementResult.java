package io.uniserve.balance.run;

import io.uniserve.balance.check.PlacementCheck;
import io.uniserve.balance.model.Assignment;
import java.util.List;

/**
 * What came out of a policy.
 *
 * @param assignment the placement from now on; the old one where the status is INFEASIBLE or REJECTED
 * @param reasons why it is not as asked for, and what the policy had to say; a sentence each
 * @param check its properties, by the independent checker
 */
public record PlacementResult(
        PlacementStatus status, List<String> reasons, Assignment assignment, PlacementCheck check) {
    public PlacementResult {
        reasons = List.copyOf(reasons);
    }

    /** True where the placement is the policy's. */
    public boolean taken() {
        return status == PlacementStatus.BALANCED || status == PlacementStatus.BEST_EFFORT;
    }
}
