package io.uniserve.balance.policy.basic;

import io.uniserve.balance.model.ClusterLoad;
import io.uniserve.balance.policy.BalancePolicy;
import io.uniserve.balance.policy.ExactSolver;
import io.uniserve.balance.policy.Proposal;
import io.uniserve.balance.policy.SearchBudget;

/**
 * Least contention, then fewest moves, by a mathematical program that starts from the greedy placement. For small clusters, and
 * to judge other policies by: from a thousand actors on nothing better than the start is found in minutes.
 */
public final class MilpPolicy implements BalancePolicy {
    private final ExactSolver solver;

    /** Uses this solver. */
    public MilpPolicy(ExactSolver solver) {
        this.solver = solver;
    }

    @Override
    public Proposal place(ClusterLoad in, SearchBudget searchBudget) {
        Proposal start = new GreedyPolicy().place(in, searchBudget);
        ExactSolver.Solved solved = solver.solve(in, start.assignment(), searchBudget);
        return new Proposal(solved.assignment(), solved.notes());
    }
}
