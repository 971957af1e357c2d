package io.uniserve.balance.constraint;

import io.uniserve.balance.model.Assignment;
import io.uniserve.balance.model.ClusterLoad;
import java.util.List;

/** Something a placement has to keep, or should. Stateless. */
public interface Constraint {
    /** Its name in reasons, e.g. {@code capacity}. */
    String name();

    /** True where a proposal that breaks it is refused; else it is taken and the reason told. */
    boolean hard();

    /**
     * What is broken, one sentence each with actor or server and numbers; empty where all is well. Looks at most at the first
     * few.
     *
     * @param in the cluster before
     * @param after the proposal; every server in it is a known one
     */
    List<String> broken(ClusterLoad in, Assignment after);
}
