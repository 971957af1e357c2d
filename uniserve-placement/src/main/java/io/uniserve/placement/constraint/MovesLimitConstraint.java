package io.uniserve.placement.constraint;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.List;

/**
 * Constraint: a limit on the number of new replicas.
 *
 * @param movesMax maximum new replicas, 0 or more
 */
public record MovesLimitConstraint(int movesMax) implements Constraint {
    @Override
    public String name() {
        return "moves";
    }

    @Override
    public boolean isHard() {
        return true;
    }

    @Override
    public List<String> violations(ClusterLoad in, Assignment after) {
        int adds = after.addedTo(in.current());
        return adds <= movesMax ? List.of() : List.of(adds + " new replicas, " + movesMax + " are allowed");
    }
}
