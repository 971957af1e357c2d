package io.uniserve.placement.milp;

import com.google.ortools.sat.CpSolver;
import com.google.ortools.sat.CpSolverStatus;
import io.uniserve.placement.constraint.LoadBalanceConstraint;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.ExactSolver;
import io.uniserve.placement.policy.SearchBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Solver of P_k, then P_b, by OR-Tools' CP-SAT. Thread-safe.
 *
 * <p>The work is bounded in CP-SAT's deterministic time, and its strategies run in a fixed order. So a seed gives the same result unless
 * the wall-clock limit ends the search first; the notes report that.
 */
public final class CpSatSolver implements ExactSolver {
    /** Deterministic seconds per program and requested second: about the speed of an idle core. */
    private static final double WORK_A_SECOND = 0.5;

    private static final double SECONDS_DEFAULT = 8;
    private static final double SECONDS_MAX = 86_400;

    @Override
    public Solution solve(ClusterLoad in, Assignment start, SearchBudget searchBudget) {
        SolverLibraryLoader.load();
        if (in.actors() == 0 || in.servers() == 0) {
            return new Solution(start, List.of());
        }
        double seconds = Double.isInfinite(searchBudget.seconds()) ? SECONDS_DEFAULT : searchBudget.seconds();
        double half = Math.min(SECONDS_MAX, seconds) / 2;
        List<String> notes = new ArrayList<>();
        PlacementModel model = new PlacementModel(in);
        model.hint(start);
        model.minimizeContention();
        Optional<Assignment> spread = run(model, "contention", solver(searchBudget, half), notes);
        if (spread.isEmpty()) {
            return new Solution(start, notes);
        }
        Assignment best = spread.get();
        if (model.contentionOf(best) > model.contentionOf(start) && balanced(in, start)) {
            best = start;
        }
        model.minimizeMoves(model.contentionOf(best));
        model.hint(best);
        Optional<Assignment> moved = run(model, "moves", solver(searchBudget, half), notes);
        return new Solution(moved.isPresent() && fewer(in, moved.get(), best) ? moved.get() : best, notes);
    }

    private static boolean balanced(ClusterLoad in, Assignment placement) {
        return new LoadBalanceConstraint().violations(in, placement).isEmpty();
    }

    private static boolean fewer(ClusterLoad in, Assignment one, Assignment other) {
        int a = one.addedTo(in.current());
        int b = other.addedTo(in.current());
        return a < b || (a == b && one.replicas() < other.replicas());
    }

    private static Optional<Assignment> run(PlacementModel model, String what, CpSolver solver, List<String> notes) {
        CpSolverStatus status = solver.solve(model.model());
        if (status == CpSolverStatus.OPTIMAL || status == CpSolverStatus.FEASIBLE) {
            String proof = status == CpSolverStatus.OPTIMAL
                    ? "proven optimal"
                    : text("not proven optimal: the bound is %.2f%% lower", 100 * gap(solver));
            notes.add(what + " " + proof);
            return Optional.of(model.read(solver));
        }
        notes.add(
                status == CpSolverStatus.INFEASIBLE
                        ? what + ": proven that no balanced placement exists"
                        : what + ": no balanced placement found in the time");
        return Optional.empty();
    }

    private static double gap(CpSolver solver) {
        double found = solver.objectiveValue();
        return found > 0 ? 1 - solver.bestObjectiveBound() / found : 0;
    }

    private static CpSolver solver(SearchBudget searchBudget, double seconds) {
        CpSolver solver = new CpSolver();
        solver.getParameters()
                .setRandomSeed((int) (searchBudget.seed() & Integer.MAX_VALUE))
                .setNumWorkers(2)
                .setInterleaveSearch(true)
                .setMaxDeterministicTime(WORK_A_SECOND * seconds)
                .setMaxTimeInSeconds(seconds);
        return solver;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
