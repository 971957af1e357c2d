package io.uniserve.testkit.simulation.check;

import io.uniserve.testkit.simulation.kernel.EventQueue;
import io.uniserve.testkit.simulation.kernel.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Collects violations; of each invariant the first few are kept and all are counted. */
public final class Violations {
    private static final int KEPT_PER_INVARIANT = 3;

    private final EventQueue queue;
    private final Trace trace;
    private final List<Violation> kept = new ArrayList<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    public Violations(EventQueue queue, Trace trace) {
        this.queue = queue;
        this.trace = trace;
    }

    /** Notes that the invariant does not hold. */
    public void add(String invariant, String message) {
        int count = counts.merge(invariant, 1, Integer::sum);
        if (count <= KEPT_PER_INVARIANT) {
            kept.add(new Violation(invariant, queue.now(), message));
            trace.line("violation " + invariant + " " + message);
        }
    }

    /** The violations kept, in order. */
    public List<Violation> kept() {
        return List.copyOf(kept);
    }

    /** How many there were of this invariant. */
    public int count(String invariant) {
        return counts.getOrDefault(invariant, 0);
    }

    /** How many there were. */
    public int total() {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }
}
