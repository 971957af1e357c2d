package io.uniserve.placement.constraint;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Constraint: every server's load is within its tolerance. */
public final class LoadBalanceConstraint implements Constraint {
    @Override
    public String name() {
        return "balance";
    }

    @Override
    public boolean isHard() {
        return false;
    }

    @Override
    public List<String> violations(ClusterLoad in, Assignment after) {
        double[] load = new double[in.servers()];
        for (int i = 0; i < in.actors(); i++) {
            for (int p = 0; p < after.replicas(i); p++) {
                load[after.server(i, p)] += after.share(i, p) * in.load(i);
            }
        }
        List<String> found = new ArrayList<>();
        for (int j = 0; j < load.length && found.size() < REPORTED_MAX; j++) {
            double slack = 1e-6 * in.mean() * in.weight(j);
            if (load[j] > in.loadMax(j) + slack || load[j] < in.loadMin(j) - slack) {
                found.add(String.format(
                        Locale.ROOT,
                        "server %d has load %.4g, its tolerance is %.4g to %.4g",
                        j,
                        load[j],
                        in.loadMin(j),
                        in.loadMax(j)));
            }
        }
        return found;
    }
}
