package io.uniserve.placement.policy.basic;

import io.uniserve.error.UniserveException;
import io.uniserve.placement.limit.PlacementLimits;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ShardSet;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.ExactSolver;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.policy.search.ParallelismSearch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Policy that spreads every query over as many servers as possible: it minimizes contention of the popular shard sets, then moves, in
 * balance. If there are more shard sets than memory for their counts, it uses the most frequent.
 */
public final class ParallelismPolicy implements BalancePolicy {
    /** Maximum actors times servers for which a solver proves its result in seconds; above, it did not improve on the search. */
    private static final int EXACT_MAX = 100;

    private static final double SOLVER_SECONDS = 4;

    private final @Nullable ExactSolver solver;

    /** Creates the policy with the search alone. */
    public ParallelismPolicy() {
        this(null);
    }

    /** Creates the policy with the search, followed by the solver on small clusters. */
    public ParallelismPolicy(@Nullable ExactSolver solver) {
        this.solver = solver;
    }

    @Override
    public boolean hasFreeShares() {
        return true;
    }

    @Override
    public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
        List<String> notes = new ArrayList<>();
        ClusterLoad looked = in;
        int most = PlacementLimits.SET_COUNTS_MAX / Math.max(1, in.servers());
        if (in.sets().size() > most) {
            notes.add("only the " + most + " most frequent of " + in.sets().size() + " shard sets were used");
            looked = in.toBuilder()
                    .sets(in.sets().stream()
                            .sorted(Comparator.comparingDouble(ShardSet::frequency)
                                    .reversed())
                            .limit(most)
                            .toList())
                    .build();
        }
        Assignment found = new ParallelismSearch(looked, searchBudget.seed(), searchBudget.outOfTime()).run();
        if (solver != null && worthSolving(looked, found)) {
            Assignment exact = solve(solver, looked, found, searchBudget, notes);
            found = ParallelismSearch.searchUntilStable(looked, exact, searchBudget.seed(), searchBudget.outOfTime());
        }
        if (searchBudget.outOfTime().getAsBoolean()) {
            notes.add("the search ended at its time limit");
        }
        return new PlacementProposal(found, notes);
    }

    /** True if the cluster is small enough and the search has moved replicas. A placement that stays is not changed. */
    private static boolean worthSolving(ClusterLoad in, Assignment found) {
        return (long) in.actors() * in.servers() <= EXACT_MAX && found.addedTo(in.current()) > 0;
    }

    private static Assignment solve(
            ExactSolver solver, ClusterLoad in, Assignment found, SearchBudget searchBudget, List<String> notes) {
        try {
            SearchBudget limited = new SearchBudget(searchBudget.seed(), searchBudget.outOfTime(), SOLVER_SECONDS);
            ExactSolver.Solution solved = solver.solve(in, found, limited);
            notes.addAll(solved.notes());
            return solved.assignment();
        } catch (UniserveException e) {
            // The solver is optional here: without its library the search's placement is the result.
            notes.add("the solver was not used: " + e.reason());
            return found;
        }
    }
}
