package io.uniserve.placement.policy;

import io.uniserve.placement.model.ClusterLoad;

/**
 * Lower bound on the new replicas of a placement, for the evaluation of placements. It is found as a service, like {@link ExactSolver}.
 * Implementations need a public constructor without arguments and are thread-safe.
 */
public interface MovesBound {
    /**
     * Returns a lower bound on the new replicas of balanced placements whose contention is the lower bound for each shard set. Placements
     * with more contention may have fewer.
     *
     * @param in the cluster; replicas not in {@code in.current()} are new
     * @param seconds time limit, after which the best bound so far is returned
     * @return a valid bound, 0 if none was found
     * @throws io.uniserve.error.UniserveException if there is no library for the platform
     */
    int leastAdds(ClusterLoad in, double seconds);
}
