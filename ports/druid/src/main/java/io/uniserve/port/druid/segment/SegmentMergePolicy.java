package io.uniserve.port.druid.segment;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Choice of the segments of one interval to merge: segments of similar size, oldest first. Stateless and deterministic. */
final class SegmentMergePolicy {
    /** Number of segments of similar size in one interval that are merged into one. */
    static final int MERGE_SEGMENTS = 8;

    /** Maximum number of rows of a merged segment. Druid recommends about 5 million. */
    static final int SEGMENT_ROWS_MAX = 5_000_000;

    private SegmentMergePolicy() {}

    /**
     * Positions of the segments to merge: in the smallest size class with enough, the oldest consecutive ones that fit into one segment.
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

    /** Size class: the number of digits of the rows in base {@link #MERGE_SEGMENTS}. */
    private static int tier(int rows) {
        int digits = 0;
        for (int left = rows; left > 0; left /= MERGE_SEGMENTS) {
            digits++;
        }
        return digits;
    }
}
