package io.uniserve.placement.policy.basic;

import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.ExactSolver;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;

/**
 * Policy that minimizes contention, then moves, by a mathematical program that starts from the greedy placement. For small clusters, and
 * for the evaluation of other policies: from a thousand actors on it finds no improvement within minutes.
 */
public final class MilpPolicy implements BalancePolicy {
    private final ExactSolver solver;

    /** Creates the policy with this solver. */
    public MilpPolicy(ExactSolver solver) {
        this.solver = solver;
    }

    @Override
    public boolean hasFreeShares() {
        return true;
    }

    @Override
    public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
        PlacementProposal start = new GreedyPolicy().place(in, searchBudget);
        ExactSolver.Solution solved = solver.solve(in, start.assignment(), searchBudget);
        return new PlacementProposal(solved.assignment(), solved.notes());
    }
}
