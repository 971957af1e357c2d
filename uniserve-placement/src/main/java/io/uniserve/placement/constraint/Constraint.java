package io.uniserve.placement.constraint;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.List;

/** Condition that a placement must, or should, satisfy. Stateless. */
public interface Constraint {
    /** Maximum number of reported violations per constraint. */
    int REPORTED_MAX = 3;

    /** Name in reasons, e.g. {@code capacity}. */
    String name();

    /** True if a proposal that violates it is rejected. Otherwise the proposal is accepted, and the violation is reported. */
    boolean isHard();

    /**
     * Returns the first few violations, one sentence each with actor or server and numbers; empty if there are none.
     *
     * @param in the cluster before
     * @param after the proposal; every server in it exists
     */
    List<String> violations(ClusterLoad in, Assignment after);
}
