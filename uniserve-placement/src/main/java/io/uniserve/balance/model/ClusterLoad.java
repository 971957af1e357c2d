package io.uniserve.balance.model;

import io.uniserve.error.UniserveException;
import java.util.Arrays;
import java.util.List;

/**
 * What a placement policy is given: the load and size of every actor, the servers, the popular shard sets, and where
 * everything is now. Immutable; actors and servers are indexes from 0.
 *
 * <p>The mean load L is the sum of the loads divided by the sum of the servers' weights; a server's due is its weight times L,
 * and it is balanced between {@code (1 - eps)} and {@code (1 + eps)} times its due.
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

    /** A server's strength relative to the others. */
    public double weight(int server) {
        return weights[server];
    }

    /** Failure domain of a server. */
    public int zone(int server) {
        return zones[server];
    }

    /** Load that falls to a server of weight 1. */
    public double mean() {
        return mean;
    }

    /** The load a balanced server has at least. */
    public double low(int server) {
        return mean * weights[server] * (1 - eps);
    }

    /** The load a balanced server has at most. */
    public double high(int server) {
        return mean * weights[server] * (1 + eps);
    }

    public List<ShardSet> sets() {
        return sets;
    }

    /** Where everything is now. */
    public Assignment current() {
        return current;
    }

    /** Tolerance of a server's load, relative to its due. */
    public double eps() {
        return eps;
    }

    /** Least replicas of an actor. */
    public int rf() {
        return rf;
    }

    /** Replicas that an actor must have in every balanced placement: rf, and more where one server cannot bear its load. */
    public int needed(int actor) {
        if (loads[actor] <= 0) {
            return rf;
        }
        double most = 0;
        for (double w : weights) {
            most = Math.max(most, w);
        }
        return neededBeside(actor, mean * most * (1 + eps));
    }

    /** As {@link #needed}, for a caller that has the highest load of any server at hand. */
    public int neededBeside(int actor, double highest) {
        return highest > 0 ? Math.max(rf, (int) Math.ceil(loads[actor] / highest - 1e-9)) : rf;
    }

    /** The same cluster at another moment. */
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
