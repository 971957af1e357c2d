package io.uniserve.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One measured figure of a result.
 *
 * @param ours what was measured
 * @param peer what the peer or floor reached in the same run; null where there is none
 * @param ratio 1.0 or more is as good as the peer or better, whichever way the figure counts; null without a peer
 * @param goal with a peer the ratio to reach, else the value to reach or not to pass
 */
public record Figure(
        String name,
        double ours,
        @Nullable Double peer,
        @Nullable Double ratio,
        double goal,
        boolean met) {
    /** More is better: {@code ratio} is ours / peer. */
    public static Figure more(String name, double ours, double peer, double goalRatio) {
        return of(name, ours, peer, ours / peer, goalRatio);
    }

    /** Less is better: {@code ratio} is peer / ours. A goal of at most 1.5 times the peer is {@code 1 / 1.5}. */
    public static Figure less(String name, double ours, double peer, double goalRatio) {
        return of(name, ours, peer, peer / ours, goalRatio);
    }

    /** Met when ours is not above the goal. */
    public static Figure atMost(String name, double ours, double goal) {
        return new Figure(name, ours, null, null, goal, ours <= goal);
    }

    /** Met when ours is not below the goal. */
    public static Figure atLeast(String name, double ours, double goal) {
        return new Figure(name, ours, null, null, goal, ours >= goal);
    }

    private static Figure of(String name, double ours, double peer, double ratio, double goal) {
        return new Figure(name, ours, peer, ratio, goal, ratio >= goal);
    }

    Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("name", name);
        fields.put("ours", number(ours));
        fields.put("peer", peer == null ? null : number(peer));
        fields.put("ratio", ratio == null ? null : number(ratio));
        fields.put("goal", number(goal));
        fields.put("met", met);
        return fields;
    }

    /** JSON knows no NaN and no infinity: null; whole numbers are written as such. */
    private static @Nullable Object number(double value) {
        if (!Double.isFinite(value)) {
            return null;
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? (Object) (long) value : (Object) value;
    }
}
