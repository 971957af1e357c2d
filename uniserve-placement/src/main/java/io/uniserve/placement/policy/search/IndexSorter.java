package io.uniserve.placement.policy.search;

import java.util.Arrays;
import java.util.Comparator;

/** Sorting of indexes by value. */
final class IndexSorter {
    private IndexSorter() {}

    /** Returns the indexes, largest value first; ties are in index order. */
    static int[] descending(double[] values) {
        Integer[] order = new Integer[values.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> -values[i]));
        return Arrays.stream(order).mapToInt(i -> i).toArray();
    }
}
