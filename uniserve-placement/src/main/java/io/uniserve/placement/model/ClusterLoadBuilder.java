package io.uniserve.placement.model;

import io.uniserve.error.UniserveException;
import java.util.Arrays;
import java.util.List;

/** Builder of a {@link ClusterLoad}. It validates the input, so that policies need not. Not thread-safe. */
public final class ClusterLoadBuilder {
    double[] loads;
    double[] memory;
    double[] capacity;
    double[] weights;
    int[] zones;
    List<ShardSet> sets = List.of();
    Assignment current;
    double eps = 0.05;
    int rf = 1;

    /**
     * Starts with actors of these loads and servers of this memory; no shard sets, no placement, eps 0.05, rf 1. The memory of an actor and
     * the weight of a server are 1; each server is a zone.
     */
    public ClusterLoadBuilder(double[] loads, double[] capacity) {
        this.loads = loads.clone();
        this.capacity = capacity.clone();
        memory = new double[loads.length];
        Arrays.fill(memory, 1);
        weights = new double[capacity.length];
        Arrays.fill(weights, 1);
        zones = new int[capacity.length];
        Arrays.setAll(zones, j -> j);
        current = Assignment.empty(loads.length);
    }

    public ClusterLoadBuilder loads(double[] values) {
        loads = values.clone();
        return this;
    }

    public ClusterLoadBuilder memory(double[] values) {
        memory = values.clone();
        return this;
    }

    public ClusterLoadBuilder capacity(double[] values) {
        capacity = values.clone();
        return this;
    }

    public ClusterLoadBuilder weights(double[] values) {
        weights = values.clone();
        return this;
    }

    public ClusterLoadBuilder zones(int[] values) {
        zones = values.clone();
        return this;
    }

    public ClusterLoadBuilder sets(List<ShardSet> values) {
        sets = List.copyOf(values);
        return this;
    }

    public ClusterLoadBuilder current(Assignment assignment) {
        current = assignment;
        return this;
    }

    public ClusterLoadBuilder eps(double value) {
        eps = value;
        return this;
    }

    public ClusterLoadBuilder rf(int value) {
        rf = value;
        return this;
    }

    /** Builds the cluster. An error names the invalid actor, server or set. */
    public ClusterLoad build() {
        if (!(eps >= 0 && eps < 1)) {
            throw UniserveException.invalid("eps is " + eps + ": use 0 to less than 1");
        }
        if (rf < 1) {
            throw UniserveException.invalid("rf is " + rf + ": use 1 or more");
        }
        same("memory", memory.length, loads.length);
        same("current", current.actors(), loads.length);
        same("weights", weights.length, capacity.length);
        same("zones", zones.length, capacity.length);
        check("load of actor", loads, 0);
        check("memory of actor", memory, Double.MIN_NORMAL);
        check("memory of server", capacity, 0);
        check("weight of server", weights, Double.MIN_NORMAL);
        checkSets();
        checkCurrent();
        return new ClusterLoad(this);
    }

    private static void same(String what, int length, int due) {
        if (length != due) {
            throw UniserveException.invalid(what + " has " + length + " entries, but " + due + " are expected");
        }
    }

    private static void check(String what, double[] values, double least) {
        for (int i = 0; i < values.length; i++) {
            if (!(values[i] >= least) || Double.isInfinite(values[i])) {
                String range = least > 0 ? "more than 0" : "0 or more";
                throw UniserveException.invalid(what + " " + i + " is " + values[i] + ": use a number of " + range);
            }
        }
    }

    private void checkSets() {
        int[] seenIn = new int[loads.length];
        for (int s = 0; s < sets.size(); s++) {
            for (int actor : sets.get(s).actors()) {
                if (actor < 0 || actor >= loads.length) {
                    throw UniserveException.invalid(
                            "shard set " + s + " has actor " + actor + ": use 0 to " + (loads.length - 1));
                }
                if (seenIn[actor] == s + 1) {
                    throw UniserveException.invalid("shard set " + s + " has actor " + actor + " twice");
                }
                seenIn[actor] = s + 1;
            }
        }
    }

    private void checkCurrent() {
        for (int i = 0; i < current.actors(); i++) {
            for (int p = 0; p < current.replicas(i); p++) {
                int server = current.server(i, p);
                if (server < 0 || server >= capacity.length) {
                    throw UniserveException.invalid(
                            "actor " + i + " is on server " + server + ", which is not one of " + capacity.length);
                }
                if (p > 0 && server == current.server(i, p - 1)) {
                    throw UniserveException.invalid("actor " + i + " is on server " + server + " twice");
                }
            }
        }
    }
}
