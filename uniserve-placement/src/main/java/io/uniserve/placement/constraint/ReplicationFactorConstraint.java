package io.uniserve.placement.constraint;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.List;

/** Constraint: every actor has rf replicas. It is soft, because too few servers or too little memory must not block the rest. */
public final class ReplicationFactorConstraint implements Constraint {
    @Override
    public String name() {
        return "rf";
    }

    @Override
    public boolean isHard() {
        return false;
    }

    @Override
    public List<String> violations(ClusterLoad in, Assignment after) {
        int lacking = 0;
        int first = -1;
        for (int i = 0; i < in.actors(); i++) {
            if (after.replicas(i) < in.rf()) {
                first = lacking++ == 0 ? i : first;
            }
        }
        return lacking == 0
                ? List.of()
                : List.of(lacking + " actors have fewer than " + in.rf() + " replicas, the first is actor " + first
                        + " with " + after.replicas(first));
    }
}
