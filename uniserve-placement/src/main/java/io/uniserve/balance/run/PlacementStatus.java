package io.uniserve.balance.run;

/** How a placement came out. */
public enum PlacementStatus {
    /** All constraints hold. */
    BALANCED,
    /** Taken, though a soft constraint is broken; the reasons say which and why. */
    BEST_EFFORT,
    /** No placement can hold the hard constraints; the old one stays. */
    INFEASIBLE,
    /** The policy failed, or proposed what breaks a hard constraint; the old placement stays. */
    REJECTED
}
