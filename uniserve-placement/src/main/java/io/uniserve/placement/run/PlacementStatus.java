package io.uniserve.placement.run;

/** Outcome of a placement. */
public enum PlacementStatus {
    /** All constraints hold. */
    BALANCED,
    /** Accepted, although a soft constraint is violated; the reasons name it. */
    BEST_EFFORT,
    /** No placement can satisfy the hard constraints; the old one stays. */
    INFEASIBLE,
    /** The policy failed, or its proposal violates a hard constraint; the old placement stays. */
    REJECTED
}
