package io.uniserve.balance.policy;

import io.uniserve.balance.model.ClusterLoad;

/**
 * How few new replicas a placement can get by with, to judge placements by. Found as a service, as {@link ExactSolver}.
 * Implementations need a public constructor without arguments and are thread-safe.
 */
public interface MovesBound {
    /**
     * New replicas that every balanced placement has at least whose contention is the lower bound of each shard set. Placements
     * of more contention may have fewer.
     *
     * @param in the cluster; replicas not in {@code in.current()} are new
     * @param seconds after which the best bound so far is taken
     * @return a bound that holds, 0 where none was found
     * @throws io.uniserve.error.UniserveException where the platform has no library
     */
    int leastAdds(ClusterLoad in, double seconds);
}
