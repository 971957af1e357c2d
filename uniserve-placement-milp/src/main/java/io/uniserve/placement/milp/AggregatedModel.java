package io.uniserve.placement.milp;

import com.google.ortools.linearsolver.MPConstraint;
import com.google.ortools.linearsolver.MPObjective;
import com.google.ortools.linearsolver.MPSolver;
import com.google.ortools.linearsolver.MPVariable;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ShardSet;
import io.uniserve.placement.policy.search.PlacementLowerBounds;

/** Rows of the program of {@link AggregatedBound}. Loads are relative to the mean. */
final class AggregatedModel {
    private final ClusterLoad in;
    private final Assignment now;
    private final MPSolver solver;
    private final int[] needed;
    private final MPVariable[][] kept;
    private final MPVariable[] news;
    private final MPVariable[] newsOn;
    private final MPConstraint[] bears;
    private final MPConstraint[] holds;
    private final MPConstraint count;
    private final MPConstraint carried;
    private final double unit;
    private final double highest;
    private final double smallest;

    AggregatedModel(ClusterLoad in, MPSolver solver) {
        this.in = in;
        this.solver = solver;
        now = in.current();
        needed = PlacementLowerBounds.needed(in);
        kept = new MPVariable[in.actors()][];
        news = new MPVariable[in.actors()];
        newsOn = new MPVariable[in.servers()];
        bears = new MPConstraint[in.servers()];
        holds = new MPConstraint[in.servers()];
        count = solver.makeConstraint(0, 0);
        carried = solver.makeConstraint(0, 0);
        unit = in.mean() > 0 ? 1 / in.mean() : 0;
        double high = 0;
        for (int j = 0; j < in.servers(); j++) {
            high = Math.max(high, in.loadMax(j) * unit);
        }
        highest = high;
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < in.actors(); i++) {
            least = Math.min(least, in.memory(i));
        }
        smallest = least;
    }

    void build() {
        MPObjective objective = solver.objective();
        for (int j = 0; j < in.servers(); j++) {
            server(j);
        }
        for (int i = 0; i < in.actors(); i++) {
            actor(i);
            objective.setCoefficient(news[i], 1);
        }
        int[] limits = PlacementLowerBounds.ofSets(in);
        for (int s = 0; s < limits.length; s++) {
            set(in.sets().get(s), limits[s]);
        }
        objective.setMinimization();
    }

    private void server(int j) {
        double slack = 1e-6;
        bears[j] = solver.makeConstraint(in.loadMin(j) * unit - slack, in.loadMax(j) * unit + slack);
        holds[j] = solver.makeConstraint(Double.NEGATIVE_INFINITY, in.capacity(j));
        newsOn[j] = solver.makeIntVar(0, in.actors(), "");
        MPVariable brought = solver.makeNumVar(0, Math.max(0, in.loadMax(j) * unit + slack), "");
        bears[j].setCoefficient(brought, 1);
        holds[j].setCoefficient(newsOn[j], smallest);
        carried.setCoefficient(brought, -1);
        count.setCoefficient(newsOn[j], -1);
        // Without new replicas there is no new load.
        MPConstraint some = solver.makeConstraint(Double.NEGATIVE_INFINITY, 0);
        some.setCoefficient(brought, 1);
        some.setCoefficient(newsOn[j], -in.loadMax(j) * unit - slack);
    }

    private void actor(int i) {
        double load = in.load(i) * unit;
        double most = Math.min(load, highest);
        MPConstraint all = solver.makeConstraint(load, load);
        MPConstraint replicas = solver.makeConstraint(Math.min(needed[i], in.servers()), Double.POSITIVE_INFINITY);
        news[i] = solver.makeIntVar(0, in.servers(), "");
        MPVariable elsewhere = solver.makeNumVar(0, load, "");
        all.setCoefficient(elsewhere, 1);
        replicas.setCoefficient(news[i], 1);
        carried.setCoefficient(elsewhere, 1);
        count.setCoefficient(news[i], 1);
        MPConstraint some = solver.makeConstraint(Double.NEGATIVE_INFINITY, 0);
        some.setCoefficient(elsewhere, 1);
        some.setCoefficient(news[i], -most);
        kept[i] = new MPVariable[now.replicas(i)];
        for (int p = 0; p < kept[i].length; p++) {
            int j = now.server(i, p);
            double here = Math.min(load, in.loadMax(j) * unit);
            kept[i][p] = solver.makeBoolVar("");
            MPVariable borne = solver.makeNumVar(0, Math.max(0, here), "");
            MPConstraint on = solver.makeConstraint(Double.NEGATIVE_INFINITY, 0);
            on.setCoefficient(borne, 1);
            on.setCoefficient(kept[i][p], -here);
            all.setCoefficient(borne, 1);
            replicas.setCoefficient(kept[i][p], 1);
            bears[j].setCoefficient(borne, 1);
            holds[j].setCoefficient(kept[i][p], in.memory(i));
        }
    }

    private void set(ShardSet set, int limit) {
        MPConstraint places = solver.makeConstraint(Double.NEGATIVE_INFINITY, (double) limit * in.servers());
        int[] here = new int[in.servers()];
        for (int i : set.actors()) {
            places.setCoefficient(news[i], 1);
            for (int p = 0; p < kept[i].length; p++) {
                places.setCoefficient(kept[i][p], 1);
                here[now.server(i, p)]++;
            }
        }
        for (int j = 0; j < here.length; j++) {
            if (here[j] > limit) {
                MPConstraint most = solver.makeConstraint(Double.NEGATIVE_INFINITY, limit);
                for (int i : set.actors()) {
                    for (int p = 0; p < kept[i].length; p++) {
                        if (now.server(i, p) == j) {
                            most.setCoefficient(kept[i][p], 1);
                        }
                    }
                }
            }
        }
    }
}
