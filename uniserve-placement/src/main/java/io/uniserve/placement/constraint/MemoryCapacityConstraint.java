package io.uniserve.placement.constraint;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.ArrayList;
import java.util.List;

/** Constraint: no server gets more replicas than fit into its memory. A server that has too many already must not get more. */
public final class MemoryCapacityConstraint implements Constraint {
    @Override
    public String name() {
        return "capacity";
    }

    @Override
    public boolean isHard() {
        return true;
    }

    @Override
    public List<String> violations(ClusterLoad in, Assignment after) {
        double[] before = used(in, in.current());
        double[] used = used(in, after);
        List<String> found = new ArrayList<>();
        for (int j = 0; j < used.length && found.size() < REPORTED_MAX; j++) {
            if (used[j] > Math.max(in.capacity(j), before[j]) * (1 + 1e-9)) {
                found.add("server " + j + " would use " + used[j] + " of " + in.capacity(j) + " memory");
            }
        }
        return found;
    }

    private static double[] used(ClusterLoad in, Assignment placement) {
        double[] used = new double[in.servers()];
        for (int i = 0; i < in.actors(); i++) {
            for (int server : placement.hosts(i)) {
                used[server] += in.memory(i);
            }
        }
        return used;
    }
}
