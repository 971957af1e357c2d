package io.uniserve.placement.model;

import io.uniserve.error.UniserveException;
import java.util.Arrays;
import java.util.List;

/**
 * Input of a placement policy: load and size of every actor, the servers, the popular shard sets, and the current placement. Immutable.
 * Actors and servers are indexes from 0.
 *
 * <p>The mean load L is the sum of the loads divided by the sum of the servers' weights. A server's fair share is its weight times L. It is
 * balanced between {@code (1 - eps)} and {@code (1 + eps)} times its fair share.
 */
public final class ClusterLoad {
    private final double[] loads;
    private final double[] memory;
    private final double[] capacity;
    private final double[] weights;
    private final int[] zones;
    private final List<ShardSet> sets;
    private final Assignment current;
    private final double eps;
    private final int rf;
    private final double mean;

    ClusterLoad(ClusterLoadBuilder from) {
        loads = from.loads;
        memory = from.memory;
        capacity = from.capacity;
        weights = from.weights;
        zones = from.zones;
        sets = from.sets;
        current = from.current;
        eps = from.eps;
        rf = from.rf;
        double weight = Arrays.stream(weights).sum();
        mean = weight > 0 ? Arrays.stream(loads).sum() / weight : 0;
        if (Double.isInfinite(mean) || Double.isNaN(mean)) {
            throw UniserveException.invalid("the sum of the loads is not finite: measure them in a larger unit");
        }
    }

    public int actors() {
        return loads.length;
    }

    public int servers() {
        return capacity.length;
    }

    /** Load of an actor, in any unit; 0 or more. */
    public double load(int actor) {
        return loads[actor];
    }

    /** Memory of one replica, in any unit; more than 0. */
    public double memory(int actor) {
        return memory[actor];
    }

    /** Memory of a server, in the unit of {@link #memory}. */
    public double capacity(int server) {
        return capacity[server];
    }

    /** Relative strength of a server. */
    public double weight(int server) {
        return weights[server];
    }

    /** Failure domain of a server. */
    public int zone(int server) {
        return zones[server];
    }

    /** Fair share of a server of weight 1. */
    public double mean() {
        return mean;
    }

    /** Minimum load of a balanced server. */
    public double loadMin(int server) {
        return mean * weights[server] * (1 - eps);
    }

    /** Maximum load of a balanced server. */
    public double loadMax(int server) {
        return mean * weights[server] * (1 + eps);
    }

    public List<ShardSet> sets() {
        return sets;
    }

    /** Current placement. */
    public Assignment current() {
        return current;
    }

    /** Tolerance of a server's load, relative to its fair share. */
    public double eps() {
        return eps;
    }

    /** Minimum replicas per actor. */
    public int rf() {
        return rf;
    }

    /** Number of replicas that an actor must have in every balanced placement: rf, or more if its load exceeds that of one server. */
    public int replicasNeeded(int actor) {
        if (loads[actor] <= 0) {
            return rf;
        }
        double most = 0;
        for (double w : weights) {
            most = Math.max(most, w);
        }
        return replicasNeededAt(actor, mean * most * (1 + eps));
    }

    /** Same as {@link #replicasNeeded}, for a caller that has already computed the highest load of any server. */
    public int replicasNeededAt(int actor, double highest) {
        return highest > 0 ? Math.max(rf, (int) Math.ceil(loads[actor] / highest - 1e-9)) : rf;
    }

    /** Returns a builder with this cluster's values. */
    public ClusterLoadBuilder toBuilder() {
        return new ClusterLoadBuilder(loads, capacity)
                .memory(memory)
                .weights(weights)
                .zones(zones)
                .sets(sets)
                .current(current)
                .eps(eps)
                .rf(rf);
    }
}
