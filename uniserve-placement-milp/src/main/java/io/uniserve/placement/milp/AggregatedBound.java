package io.uniserve.placement.milp;

import com.google.ortools.linearsolver.MPSolver;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.MovesBound;

/**
 * Bound on moves by a relaxation that is small enough to solve. Earlier replicas are exact: kept or not, with their load. New ones are only
 * counted, per actor and per server, with their load. Solved by SCIP. Thread-safe.
 */
public final class AggregatedBound implements MovesBound {
    private static final double ROUNDING = 1e-4;

    @Override
    public int leastAdds(ClusterLoad in, double seconds) {
        SolverLibraryLoader.load();
        if (in.actors() == 0 || in.servers() == 0) {
            return 0;
        }
        MPSolver solver = MPSolver.createSolver("SCIP");
        if (solver == null) {
            return 0;
        }
        try {
            new AggregatedModel(in, solver).build();
            solver.setTimeLimit((long) Math.max(1, seconds * 1_000));
            MPSolver.ResultStatus status = solver.solve();
            boolean bounded = status == MPSolver.ResultStatus.OPTIMAL
                    || status == MPSolver.ResultStatus.FEASIBLE
                    || status == MPSolver.ResultStatus.NOT_SOLVED;
            double bound = bounded ? solver.objective().bestBound() : 0;
            return Double.isFinite(bound) && bound < Integer.MAX_VALUE
                    ? (int) Math.max(0, Math.ceil(bound - ROUNDING))
                    : 0;
        } finally {
            solver.delete();
        }
    }
}
