package io.uniserve.placement.milp;

import com.google.ortools.sat.BoolVar;
import com.google.ortools.sat.CpModel;
import com.google.ortools.sat.CpSolver;
import com.google.ortools.sat.IntVar;
import com.google.ortools.sat.LinearExpr;
import com.google.ortools.sat.LinearExprBuilder;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ShardSet;
import java.util.Arrays;

/**
 * Rows of both programs. Loads are flows from an actor to its servers, relative to the mean, so that all numbers are integers. Two rows are
 * stronger than in the paper: a flow is bounded by its server's maximum load, and an actor has the replicas that its load needs. Without
 * them no solver finds a solution from some hundred actors on.
 */
final class PlacementModel {
    private static final double UNITS = 1e8;
    private static final double FREQUENCY_UNITS = 1e7;

    /** Maximum sum of rounding errors per server: it must not make the start placement infeasible. */
    private static final long HAIR = 10;

    /** Cost of a new replica, in units of a kept one. */
    private static final long ADD_PRICE = 100;

    /** Memory units per memory of the smallest actor. */
    private static final double MEMORY_UNITS = 1e3;

    private final ClusterLoad in;
    private final CpModel model = new CpModel();
    private final BoolVar[][] on;
    private final IntVar[][] flow;
    private final IntVar[] most;
    private final long[] frequency;
    private final long[] load;
    private final LinearExpr contention;
    private final double smallest;

    PlacementModel(ClusterLoad in) {
        this.in = in;
        on = new BoolVar[in.actors()][in.servers()];
        flow = new IntVar[in.actors()][in.servers()];
        load = new long[in.actors()];
        most = new IntVar[in.sets().size()];
        frequency = new long[most.length];
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < load.length; i++) {
            least = Math.min(least, in.memory(i));
        }
        smallest = least;
        double unit = in.mean() > 0 ? UNITS / in.mean() : 0;
        for (int i = 0; i < load.length; i++) {
            load[i] = Math.round(in.load(i) * unit);
            actor(i, unit);
        }
        for (int j = 0; j < in.servers(); j++) {
            server(j, unit);
        }
        LinearExprBuilder sum = LinearExpr.newBuilder();
        double all = in.sets().stream().mapToDouble(ShardSet::frequency).sum();
        for (int s = 0; s < most.length; s++) {
            frequency[s] =
                    Math.round(in.sets().get(s).frequency() * FREQUENCY_UNITS / Math.max(all, Double.MIN_NORMAL));
            set(s);
            sum.addTerm(most[s], frequency[s]);
        }
        contention = sum.build();
    }

    private int needed(int i) {
        return Math.min(in.servers(), in.replicasNeeded(i));
    }

    private void actor(int i, double unit) {
        for (int j = 0; j < in.servers(); j++) {
            on[i][j] = model.newBoolVar("");
            long high = Math.min(load[i], (long) Math.floor(in.loadMax(j) * unit));
            flow[i][j] = model.newIntVar(0, Math.max(0, high), "");
            model.addLessOrEqual(flow[i][j], LinearExpr.term(on[i][j], Math.max(0, high)));
        }
        model.addEquality(LinearExpr.sum(flow[i]), load[i]);
        model.addGreaterOrEqual(LinearExpr.sum(on[i]), needed(i));
    }

    private void server(int j, double unit) {
        long low = (long) Math.ceil(in.loadMin(j) * unit);
        long high = (long) Math.floor(in.loadMax(j) * unit);
        LinearExprBuilder bears = LinearExpr.newBuilder();
        LinearExprBuilder holds = LinearExpr.newBuilder();
        // Rounded up; equal actors stay exact.
        for (int i = 0; i < in.actors(); i++) {
            bears.add(flow[i][j]);
            holds.addTerm(on[i][j], (long) Math.ceil(in.memory(i) / smallest * MEMORY_UNITS - 1e-6));
        }
        model.addLinearConstraint(bears.build(), low - HAIR, high + HAIR);
        double room = Math.min(in.capacity(j) / smallest * MEMORY_UNITS + 1e-6, 1e15);
        model.addLessOrEqual(holds.build(), (long) Math.floor(room));
    }

    private void set(int s) {
        int[] actors = in.sets().get(s).actors();
        long replicas = 0;
        for (int i : actors) {
            replicas += needed(i);
        }
        int servers = Math.max(1, in.servers());
        long bound = actors.length == 0 ? 0 : Math.max(1, (replicas + servers - 1) / servers);
        most[s] = model.newIntVar(Math.min(bound, actors.length), actors.length, "");
        for (int j = 0; j < in.servers() && bound < actors.length; j++) {
            LinearExprBuilder here = LinearExpr.newBuilder();
            for (int i : actors) {
                here.add(on[i][j]);
            }
            model.addLessOrEqual(here.build(), most[s]);
        }
    }

    /** Sets the objective P_k: minimum contention. */
    void minimizeContention() {
        model.minimize(contention);
    }

    /** Sets the objective P_b: at most this contention; then the fewest new replicas, with a small cost per kept one. */
    void minimizeMoves(long contentionMax) {
        model.addLessOrEqual(contention, contentionMax);
        model.clearObjective();
        LinearExprBuilder cost = LinearExpr.newBuilder();
        for (int i = 0; i < in.actors(); i++) {
            for (int j = 0; j < in.servers(); j++) {
                cost.addTerm(on[i][j], in.current().isOn(i, j) ? 1 : 1 + ADD_PRICE);
            }
        }
        model.minimize(cost.build());
    }

    void hint(Assignment start) {
        model.clearHints();
        for (int i = 0; i < in.actors(); i++) {
            long rest = load[i];
            for (int j = 0; j < in.servers(); j++) {
                model.addHint(on[i][j], start.isOn(i, j) ? 1 : 0);
            }
            long[] part = new long[in.servers()];
            for (int p = 0; p < start.replicas(i); p++) {
                long own = p == start.replicas(i) - 1 ? rest : Math.min(rest, Math.round(start.share(i, p) * load[i]));
                part[start.server(i, p)] = own;
                rest -= own;
            }
            for (int j = 0; j < in.servers(); j++) {
                model.addHint(flow[i][j], part[j]);
            }
        }
        for (int s = 0; s < most.length; s++) {
            model.addHint(most[s], largest(start, in.sets().get(s)));
        }
    }

    /** Returns the contention of a placement in this model's units. */
    long contentionOf(Assignment placement) {
        long sum = 0;
        for (int s = 0; s < most.length; s++) {
            sum += frequency[s] * largest(placement, in.sets().get(s));
        }
        return sum;
    }

    private int largest(Assignment placement, ShardSet set) {
        int[] count = new int[in.servers()];
        int largest = 0;
        for (int i : set.actors()) {
            for (int p = 0; p < placement.replicas(i); p++) {
                largest = Math.max(largest, ++count[placement.server(i, p)]);
            }
        }
        return largest;
    }

    CpModel model() {
        return model;
    }

    Assignment read(CpSolver solver) {
        int[][] hosts = new int[in.actors()][];
        double[][] shares = new double[in.actors()][];
        for (int i = 0; i < hosts.length; i++) {
            int[] servers = new int[in.servers()];
            double[] parts = new double[in.servers()];
            int n = 0;
            for (int j = 0; j < in.servers(); j++) {
                if (solver.booleanValue(on[i][j])) {
                    servers[n] = j;
                    parts[n++] = load[i] > 0 ? (double) solver.value(flow[i][j]) / load[i] : 0;
                }
            }
            hosts[i] = Arrays.copyOf(servers, n);
            shares[i] = Arrays.copyOf(parts, n);
            if (load[i] == 0) {
                Arrays.fill(shares[i], 1.0 / n);
            }
        }
        return Assignment.of(hosts, shares);
    }
}
