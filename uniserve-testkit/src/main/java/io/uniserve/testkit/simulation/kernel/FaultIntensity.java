package io.uniserve.testkit.simulation.kernel;

import java.util.TreeMap;

/**
 * How hostile the world is now: the chance of each small fault in millionths, and how often each fault has met something
 * that was under way. Set by the fault plan, read by the twins.
 */
public final class FaultIntensity {
    private final TreeMap<Fault, Long> chances = new TreeMap<>();
    private final TreeMap<Fault, Long> counts = new TreeMap<>();
    private final Prng random;
    private final Trace trace;

    public FaultIntensity(Prng random, Trace trace) {
        this.random = random;
        this.trace = trace;
    }

    /** Sets the chance of a fault in millionths of the occasions. */
    public void set(Fault fault, long perMillion) {
        chances.put(fault, perMillion);
    }

    /** No more faults by chance. */
    public void calm() {
        chances.clear();
    }

    /** Draws whether this fault strikes now; it is counted if so, as it meets what asked. */
    public boolean strikes(Fault fault) {
        boolean hit = random.chance(chances.getOrDefault(fault, 0L));
        if (hit) {
            count(fault);
        }
        return hit;
    }

    /** Whether this fault strikes what has this hash: always, as long as the chances are what they are, or never. */
    public boolean strikesAlways(Fault fault, int hash) {
        boolean hit = Math.floorMod(hash * 0x9e3779b9 >>> 7, 1_000_000) < chances.getOrDefault(fault, 0L);
        if (hit) {
            count(fault);
        }
        return hit;
    }

    /** Counts a fault that met something under way. */
    public void count(Fault fault) {
        counts.merge(fault, 1L, Long::sum);
        trace.mix(2, fault.ordinal());
    }

    /** Faults so far, by kind. */
    public TreeMap<Fault, Long> counts() {
        return new TreeMap<>(counts);
    }
}
