package io.uniserve.placement.constraint;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.List;
import java.util.TreeSet;

/** Constraint: the replicas of an actor are in different zones, as far as rf and the number of zones allow. */
public final class ZoneSpreadConstraint implements Constraint {
    @Override
    public String name() {
        return "zones";
    }

    @Override
    public boolean isHard() {
        return false;
    }

    @Override
    public List<String> violations(ClusterLoad in, Assignment after) {
        TreeSet<Integer> all = new TreeSet<>();
        for (int j = 0; j < in.servers(); j++) {
            all.add(in.zone(j));
        }
        int bad = 0;
        int first = -1;
        for (int i = 0; i < in.actors(); i++) {
            TreeSet<Integer> own = new TreeSet<>();
            for (int server : after.hosts(i)) {
                own.add(in.zone(server));
            }
            if (own.size() < Math.min(Math.min(in.rf(), all.size()), after.replicas(i))) {
                first = bad++ == 0 ? i : first;
            }
        }
        return bad == 0
                ? List.of()
                : List.of(bad + " actors have replicas in fewer zones than they could, the first is actor " + first);
    }
}
