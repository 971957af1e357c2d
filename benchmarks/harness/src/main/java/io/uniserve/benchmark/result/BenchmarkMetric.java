package io.uniserve.benchmark.result;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measured figure of a result.
 *
 * @param measured the measured value
 * @param peer the value of the peer or floor in the same run; null without one
 * @param ratio at least 1.0 if it is as good as the peer or better, for both directions; null without a peer
 * @param goal the ratio to reach with a peer, otherwise the limit of the value
 */
public record BenchmarkMetric(
        String name,
        double measured,
        @Nullable Double peer,
        @Nullable Double ratio,
        double goal,
        boolean met) {
    /** Creates a figure for which more is better: {@code ratio} is ours / peer. */
    public static BenchmarkMetric moreIsBetter(String name, double ours, double peer, double goalRatio) {
        return of(name, ours, peer, ours / peer, goalRatio);
    }

    /** Creates a figure for which less is better: {@code ratio} is peer / ours. A goal of at most 1.5 times the peer is {@code 1 / 1.5}. */
    public static BenchmarkMetric lessIsBetter(String name, double ours, double peer, double goalRatio) {
        return of(name, ours, peer, peer / ours, goalRatio);
    }

    /** Creates a figure that is met if ours is at most the goal. */
    public static BenchmarkMetric atMost(String name, double ours, double goal) {
        return new BenchmarkMetric(name, ours, null, null, goal, ours <= goal);
    }

    /** Creates a figure that is met if ours is at least the goal. */
    public static BenchmarkMetric atLeast(String name, double ours, double goal) {
        return new BenchmarkMetric(name, ours, null, null, goal, ours >= goal);
    }

    private static BenchmarkMetric of(String name, double ours, double peer, double ratio, double goal) {
        return new BenchmarkMetric(name, ours, peer, ratio, goal, ratio >= goal);
    }

    Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("ours", number(measured));
        fields.put("peer", peer == null ? null : number(peer));
        fields.put("ratio", ratio == null ? null : number(ratio));
        fields.put("goal", number(goal));
        fields.put("met", met);
        return fields;
    }

    /** Returns a number for JSON: null for NaN and infinity, an integer for whole numbers. */
    private static @Nullable Object number(double value) {
        if (!Double.isFinite(value)) {
            return null;
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? (Object) (long) value : (Object) value;
    }
}
