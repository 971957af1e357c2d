package io.uniserve.placement.live;

import io.uniserve.placement.QueryShares;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Leveler of shares: it divides the load of actors with several replicas so that the highest relative load of their servers is least. No
 * replica moves, so contention and moves stay. A placement at the edge of its tolerance would be out of it with the next change of a load.
 */
final class ShareLeveler {
    /** Passes over all actors. Each one helps actors whose servers share others. */
    private static final int PASSES = 4;

    /** Least improvement of the highest relative load, as a part of the mean. */
    private static final double GAIN_MIN = 0.01;

    private final ClusterLoad in;
    private final int[][] hosts;
    private final double[][] shares;
    private final double[] loads;

    private ShareLeveler(ClusterLoad in, Assignment placed) {
        this.in = in;
        hosts = new int[placed.actors()][];
        shares = new double[placed.actors()][];
        loads = new double[in.servers()];
        for (int i = 0; i < hosts.length; i++) {
            hosts[i] = placed.hosts(i);
            shares[i] = new double[hosts[i].length];
            for (int p = 0; p < hosts[i].length; p++) {
                shares[i][p] = placed.share(i, p);
                loads[hosts[i][p]] += in.load(i) * shares[i][p];
            }
        }
    }

    /** Returns the placement with level shares of the actors that may change; the same one if no share changes. */
    static Assignment level(ClusterLoad in, Assignment placed, IntPredicate mayChange) {
        ShareLeveler leveler = new ShareLeveler(in, placed);
        return leveler.level(mayChange) ? Assignment.of(leveler.hosts, leveler.shares) : placed;
    }

    private boolean level(IntPredicate mayChange) {
        boolean changed = false;
        for (int pass = 0; pass < PASSES; pass++) {
            boolean helped = false;
            for (int i = 0; i < hosts.length; i++) {
                helped |= hosts[i].length > 1 && in.load(i) > 0 && mayChange.test(i) && level(i);
            }
            changed |= helped;
            if (!helped) {
                break;
            }
        }
        return changed;
    }

    private boolean level(int i) {
        int count = hosts[i].length;
        double[] others = new double[count];
        double[] weights = new double[count];
        for (int p = 0; p < count; p++) {
            others[p] = loads[hosts[i][p]] - in.load(i) * shares[i][p];
            weights[p] = in.weight(hosts[i][p]);
        }
        double[] next = QueryShares.divide(others, weights, in.load(i));
        double gain = highest(others, weights, i, shares[i]) - highest(others, weights, i, next);
        if (gain < GAIN_MIN * in.mean()) {
            return false;
        }
        for (int p = 0; p < count; p++) {
            loads[hosts[i][p]] = others[p] + in.load(i) * next[p];
        }
        shares[i] = next;
        return true;
    }

    private double highest(double[] others, double[] weights, int i, double[] divided) {
        double[] relative = new double[others.length];
        for (int p = 0; p < others.length; p++) {
            relative[p] = (others[p] + in.load(i) * divided[p]) / weights[p];
        }
        return Arrays.stream(relative).max().orElse(0);
    }
}
