package io.uniserve.placement.policy.search;

import java.util.Arrays;

/** Conversion of flows to shares of an actor's queries. */
final class FlowShareConverter {
    private FlowShareConverter() {}

    /** Scales flows to a sum of 1; returns equal shares without flow. */
    static double[] fromLoads(double[] flow, int n) {
        double[] shares = Arrays.copyOf(flow, n);
        double sum = 0;
        for (double f : shares) {
            sum += f;
        }
        for (int p = 0; p < n; p++) {
            shares[p] = sum > 0 ? shares[p] / sum : 1.0 / n;
        }
        return shares;
    }
}
