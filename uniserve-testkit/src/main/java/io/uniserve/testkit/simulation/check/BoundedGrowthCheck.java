package io.uniserve.testkit.simulation.check;

import java.util.Map;
import java.util.TreeMap;

/**
 * FLAT: what a cluster keeps for the sake of the past does not grow with the past. The most of each measure in the first hour,
 * and half as much again, with room for one more of what comes and goes at once, bounds it for ever.
 */
public final class BoundedGrowthCheck {
    private static final double GROWTH_MAX = 1.5;

    private final Violations violations;
    private final Map<String, Long> first = new TreeMap<>();
    private final Map<String, Long> most = new TreeMap<>();

    public BoundedGrowthCheck(Violations violations) {
        this.violations = violations;
    }

    /**
     * A measure.
     *
     * @param room what may come and go at once, such as a segment of a log
     * @param early true in the first hour
     */
    public void look(String name, long value, long room, boolean early) {
        most.merge(name, value, Math::max);
        if (early) {
            first.merge(name, value, Math::max);
            return;
        }
        long bound = (long) (first.getOrDefault(name, 0L) * GROWTH_MAX) + room;
        if (value > bound) {
            violations.add("FLAT", name + " are " + value + ", in the first hour at most " + first.get(name));
        }
    }

    /** The most of each in the first hour. */
    public Map<String, Long> first() {
        return first;
    }

    /** The most of each. */
    public Map<String, Long> most() {
        return most;
    }
}
