package io.uniserve.simulator.check;

import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Collector of violations. It counts all of them, and keeps the first few of each invariant. */
public final class ViolationCollector {
    private static final int KEPT_PER_INVARIANT = 3;

    private final EventQueue queue;
    private final EventTrace trace;
    private final List<Violation> kept = new ArrayList<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    public ViolationCollector(EventQueue queue, EventTrace trace) {
        this.queue = queue;
        this.trace = trace;
    }

    /** Records a violation of the invariant. */
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

    /** Number of violations of this invariant. */
    public int count(String invariant) {
        return counts.getOrDefault(invariant, 0);
    }

    /** Number of violations in total. */
    public int total() {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }
}
