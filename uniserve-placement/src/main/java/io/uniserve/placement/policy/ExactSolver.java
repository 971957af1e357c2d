package io.uniserve.placement.policy;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.List;

/**
 * Solver that improves a placement by a mathematical program. It is found as a service, because solvers need native libraries, which are
 * optional. Implementations need a public constructor without arguments and are thread-safe.
 */
public interface ExactSolver {
    /**
     * Result of a solver.
     *
     * @param assignment never worse than the start
     * @param notes one sentence each: proven optimal, or stopped by the time limit
     */
    record Solution(Assignment assignment, List<String> notes) {}

    /**
     * Minimizes contention, then the number of new replicas at that contention.
     *
     * @param in the cluster; replicas not in {@code in.current()} are new
     * @param start the placement to improve
     * @param searchBudget {@link SearchBudget#seconds} is the time limit. The work is bounded too, so that a seed gives the same result on
     *     every machine that is fast enough
     * @throws io.uniserve.error.UniserveException if there is no library for the platform
     */
    Solution solve(ClusterLoad in, Assignment start, SearchBudget searchBudget);
}
