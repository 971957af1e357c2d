package io.uniserve.placement.policy;

import io.uniserve.placement.model.ClusterLoad;

/**
 * Placement policy: it assigns actors to servers, given the load of a whole cluster. A pure function: the same cluster and seed give the
 * same proposal, unless the time ends the search. An implementation that a configuration names needs a public constructor without
 * arguments.
 */
@FunctionalInterface
public interface BalancePolicy {
    /**
     * Proposes a placement. The caller checks it and keeps the old one if a hard constraint is violated.
     *
     * @param in current placement and load
     * @param searchBudget seed and time limit
     */
    PlacementProposal place(ClusterLoad in, SearchBudget searchBudget);

    /** True if shares serve the balance alone, so that a running cluster may level them within the same replicas. */
    default boolean hasFreeShares() {
        return false;
    }
}
