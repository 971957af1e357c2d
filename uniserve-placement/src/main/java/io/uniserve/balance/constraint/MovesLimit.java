package io.uniserve.balance.constraint;

import io.uniserve.balance.model.Assignment;
import io.uniserve.balance.model.ClusterLoad;
import java.util.List;

/**
 * Constraint: a limit on the number of new replicas.
 *
 * @param most maximum new replicas, 0 or more
 */
public record MovesLimit(int most) implements Constraint {
    @Override
    public String name() {
        return "moves";
    }

    @Override
    public boolean hard() {
        return true;
    }

    @Override
    public List<String> broken(ClusterLoad in, Assignment after) {
        int adds = after.addedTo(in.current());
        return adds <= most ? List.of() : List.of(adds + " new replicas, " + most + " are allowed");
    }
}
