package io.uniserve.port.druid.segment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Choice of the segments of one interval that become one segment: segments of one size, oldest first. Stateless and deterministic. */
final class SegmentTiers {
    /** Segments of one size in one interval; then they are merged. */
    static final int MERGE_SEGMENTS = 8;

    /** Rows of a merged segment; Druid recommends about 5 million. */
    static final int SEGMENT_ROWS_MAX = 5_000_000;

    private SegmentTiers() {}

    /**
     * Positions of the segments to merge: the oldest ones in a row of the smallest size that together have few enough rows.
     *
     * @param rows of the segments, oldest first
     * @return {@link #MERGE_SEGMENTS} positions, ascending; empty if there is nothing to merge
     */
    static List<Integer> toMerge(List<Integer> rows) {
        Map<Integer, List<Integer>> tiers = new TreeMap<>();
        for (int i = 0; i < rows.size(); i++) {
            tiers.computeIfAbsent(tier(rows.get(i)), tier -> new ArrayList<>()).add(i);
        }
        for (List<Integer> tier : tiers.values()) {
            for (int from = 0; from + MERGE_SEGMENTS <= tier.size(); from++) {
                List<Integer> some = tier.subList(from, from + MERGE_SEGMENTS);
                if (some.stream().mapToLong(rows::get).sum() <= SEGMENT_ROWS_MAX) {
                    return List.copyOf(some);
                }
            }
        }
        return List.of();
    }

    /** Number of digits of the rows in base {@link #MERGE_SEGMENTS}. */
    private static int tier(int rows) {
        int digits = 0;
        for (int left = rows; left > 0; left /= MERGE_SEGMENTS) {
            digits++;
        }
        return digits;
    }
}
