package io.uniserve.placement.constraint;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.ArrayList;
import java.util.List;

/** Constraint: an actor with a replica keeps at least one of its replicas. */
public final class LastReplicaConstraint implements Constraint {
    @Override
    public String name() {
        return "last replica";
    }

    @Override
    public boolean isHard() {
        return true;
    }

    @Override
    public List<String> violations(ClusterLoad in, Assignment after) {
        List<String> found = new ArrayList<>();
        for (int i = 0; i < in.actors() && found.size() < REPORTED_MAX; i++) {
            if (in.current().replicas(i) > 0 && after.replicas(i) == 0) {
                found.add("actor " + i + " would lose its last replica, on server "
                        + in.current().server(i, 0));
            }
        }
        return found;
    }
}
