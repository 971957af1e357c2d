package io.uniserve.placement.constraint;

import java.util.List;

/** Constraints that apply to every placement. */
public final class ConstraintCatalog {
    private ConstraintCatalog() {}

    /** Returns all constraints except {@link MovesLimitConstraint}, which is optional. */
    public static List<Constraint> standard() {
        return List.of(
                new WellFormedConstraint(),
                new LastReplicaConstraint(),
                new MemoryCapacityConstraint(),
                new ReplicationFactorConstraint(),
                new ZoneSpreadConstraint(),
                new LoadBalanceConstraint());
    }
}
