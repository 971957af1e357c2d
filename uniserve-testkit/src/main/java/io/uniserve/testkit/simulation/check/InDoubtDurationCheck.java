package io.uniserve.testkit.simulation.check;

import java.util.HashMap;
import java.util.Map;

/**
 * I15: what is in doubt ends within a bounded time once the registry is reachable. Looked at now and then; time counts only while
 * nothing keeps those who have to settle it from that, and begins anew when something did.
 */
public final class InDoubtDurationCheck {
    /**
     * More than twice what is seen: others end what a driver began some 12 s later, of which a watch may tell 3 s late; what is decided
     * is on the disk and applied a moment later, where each retry of a lost message takes a second.
     */
    public static final long BOUND_NANOS = 30_000_000_000L;

    private final Violations violations;
    /** Since when each has been in doubt without anything in the way. */
    private final Map<String, Long> since = new HashMap<>();

    private long longestNanos;

    public InDoubtDurationCheck(Violations violations) {
        this.violations = violations;
    }

    /**
     * What is in doubt at this moment; what was and is not named any more has been settled.
     *
     * @param doubts by name, true where nothing keeps it from being settled
     */
    public void look(long nanos, Map<String, Boolean> doubts) {
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
                since.put(name, nanos); // once for each time
            }
        });
    }

    /** The longest that anything was seen in doubt with nothing in the way. */
    public long longestNanos() {
        return longestNanos;
    }
}
