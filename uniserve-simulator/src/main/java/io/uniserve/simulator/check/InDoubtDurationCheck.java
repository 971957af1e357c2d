package io.uniserve.simulator.check;

import java.util.HashMap;
import java.util.Map;

/**
 * Check of I15: the time in doubt is bounded while the registry can be reached. The caller samples the state. Time counts only while no
 * fault prevents the resolution, and starts again after such a fault.
 */
public final class InDoubtDurationCheck {
    /**
     * Limit: more than twice the longest time observed. Other servers end the update of a dead transaction manager some 12 s later, and a
     * watch may be 3 s late. A decision is on disk and applied shortly after, but each retry of a lost message takes a second.
     */
    public static final long BOUND_NANOS = 30_000_000_000L;

    private final ViolationCollector violations;
    /** Start per name of the time in doubt without an obstacle. */
    private final Map<String, Long> since = new HashMap<>();

    private long longestNanos;

    public InDoubtDurationCheck(ViolationCollector violations) {
        this.violations = violations;
    }

    /**
     * Records a sample. A name that is missing now has been resolved.
     *
     * @param doubts the names in doubt; true if nothing prevents the resolution
     */
    public void record(long nanos, Map<String, Boolean> doubts) {
        since.keySet().retainAll(doubts.keySet());
        doubts.forEach((name, free) -> {
            if (!free) {
                since.remove(name);
                return;
            }
            long began = since.computeIfAbsent(name, n -> nanos);
            longestNanos = Math.max(longestNanos, nanos - began);
            if (nanos - began > BOUND_NANOS) {
                violations.add(
                        "I15",
                        name + " for more than " + BOUND_NANOS / 1_000_000_000L
                                + " s, though the registry can be reached");
                since.put(name, nanos); // one violation per period
            }
        });
    }

    /** The longest time in doubt without an obstacle, in nanoseconds. */
    public long longestNanos() {
        return longestNanos;
    }
}
