package io.uniserve.balance.policy;

import io.uniserve.balance.model.ClusterLoad;

/**
 * Decides which actors live where, given the load of a whole cluster. A pure function: the same cluster and seed give the same
 * proposal, unless the search was cut short. Implementations need a public constructor without arguments to be named in a
 * configuration.
 */
@FunctionalInterface
public interface BalancePolicy {
    /**
     * Proposes a placement. Whoever calls checks it and keeps the old one where a hard constraint is broken.
     *
     * @param in where everything is, and what it bears
     * @param searchBudget seed, and when to come to an end
     */
    Proposal place(ClusterLoad in, SearchBudget searchBudget);
}
