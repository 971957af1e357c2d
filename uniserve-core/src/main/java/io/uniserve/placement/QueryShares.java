package io.uniserve.placement;

import java.util.Arrays;

/**
 * Division of an actor's queries among its replicas, such that the highest relative load of their servers is as low as possible. A pure
 * function.
 */
public final class QueryShares {
    /** Least share of a replica: its caches stay warm, and its load stays measurable. */
    static final double SHARE_MIN = 0.05;

    private static final double ROUNDING = 1_000;

    private QueryShares() {}

    /**
     * Returns the share of each server, with the sum 1.
     *
     * @param others load of each server without the actor's queries
     * @param weights strength of each server, more than 0
     * @param queries load of all queries of the actor
     */
    public static double[] divide(double[] others, double[] weights, double queries) {
        int count = others.length;
        double[] shares = new double[count];
        if (!(queries > 0)) {
            Arrays.fill(shares, 1.0 / count);
            return shares;
        }
        double least = Math.min(SHARE_MIN, 0.5 / count);
        double level = level(others, weights, queries, least);
        int largest = 0;
        double sum = 0;
        for (int j = 0; j < count; j++) {
            double room = level * weights[j] - others[j];
            shares[j] = Math.round(ROUNDING * Math.max(least, room / queries)) / ROUNDING;
            sum += shares[j];
            largest = shares[j] > shares[largest] ? j : largest;
        }
        shares[largest] += 1 - sum;
        return shares;
    }

    /** The relative load at which the servers have taken all queries; each takes at least the least share. */
    private static double level(double[] others, double[] weights, double queries, double least) {
        double low = 0;
        double high = 0;
        for (int j = 0; j < others.length; j++) {
            high = Math.max(high, (others[j] + queries) / weights[j]);
        }
        for (int step = 0; step < 100; step++) {
            double middle = (low + high) / 2;
            double taken = 0;
            for (int j = 0; j < others.length; j++) {
                taken += Math.max(least * queries, middle * weights[j] - others[j]);
            }
            if (taken < queries) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }
}
