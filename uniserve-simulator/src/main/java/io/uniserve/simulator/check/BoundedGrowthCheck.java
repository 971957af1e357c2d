package io.uniserve.simulator.check;

import java.util.Map;
import java.util.TreeMap;

/**
 * Check of FLAT: the state that a cluster keeps does not grow with its age. The bound of a measure is 1.5 times its maximum of the first
 * hour, plus an allowance for temporary data.
 */
public final class BoundedGrowthCheck {
    private static final double GROWTH_MAX = 1.5;

    private final ViolationCollector violations;
    private final Map<String, Long> first = new TreeMap<>();
    private final Map<String, Long> highest = new TreeMap<>();

    public BoundedGrowthCheck(ViolationCollector violations) {
        this.violations = violations;
    }

    /**
     * Records a measure.
     *
     * @param room allowance for temporary data, such as a segment of a log; in the unit of the measure
     * @param early true in the first hour
     */
    public void record(String name, long value, long room, boolean early) {
        highest.merge(name, value, Math::max);
        if (early) {
            first.merge(name, value, Math::max);
            return;
        }
        long bound = (long) (first.getOrDefault(name, 0L) * GROWTH_MAX) + room;
        if (value > bound) {
            violations.add("FLAT", name + " are " + value + ", in the first hour at most " + first.get(name));
        }
    }

    /** The maximum of each measure in the first hour. */
    public Map<String, Long> first() {
        return first;
    }

    /** The maximum of each measure in the whole run. */
    public Map<String, Long> highest() {
        return highest;
    }
}
