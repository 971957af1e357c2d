package io.uniserve.balance.policy;

import io.uniserve.balance.model.Assignment;
import io.uniserve.balance.model.ClusterLoad;
import java.util.List;

/**
 * Solves the placement problem as a mathematical program, from a placement to start with. Found as a service, since solvers are
 * native libraries that not everybody wants to carry. Implementations need a public constructor without arguments and are
 * thread-safe.
 */
public interface ExactSolver {
    /**
     * What a solver came to.
     *
     * @param assignment never worse than the one it started with
     * @param notes whether it is proven best, or the time ended; a sentence each
     */
    record Solved(Assignment assignment, List<String> notes) {}

    /**
     * Looks for less contention, then for fewer new replicas at that contention.
     *
     * @param in the cluster; replicas not in {@code in.current()} are new
     * @param start a placement to improve on
     * @param searchBudget {@link SearchBudget#seconds} is kept to; the work is bounded too, so that a seed gives one result on any machine
     *     that is fast enough
     * @throws io.uniserve.error.UniserveException where the platform has no library
     */
    Solved solve(ClusterLoad in, Assignment start, SearchBudget searchBudget);
}
