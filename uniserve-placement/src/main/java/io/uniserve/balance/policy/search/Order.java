package io.uniserve.balance.policy.search;

import java.util.Arrays;
import java.util.Comparator;

/** Indexes in the order of values. */
final class Order {
    private Order() {}

    /** Indexes, the largest value first; the smaller index first where values are equal. */
    static int[] descending(double[] values) {
        Integer[] order = new Integer[values.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> -values[i]));
        return Arrays.stream(order).mapToInt(i -> i).toArray();
    }
}
