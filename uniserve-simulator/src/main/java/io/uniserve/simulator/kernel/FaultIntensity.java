package io.uniserve.simulator.kernel;

import java.util.TreeMap;

/**
 * Current probabilities of small faults, per million operations, and counts of all faults that met an operation under way. The fault plan
 * sets the probabilities, and the twins draw from them.
 */
public final class FaultIntensity {
    private final TreeMap<Fault, Long> chances = new TreeMap<>();
    private final TreeMap<Fault, Long> counts = new TreeMap<>();
    private final Prng random;
    private final EventTrace trace;

    public FaultIntensity(Prng random, EventTrace trace) {
        this.random = random;
        this.trace = trace;
    }

    /** Sets the probability of a fault, per million operations that it could affect. */
    public void set(Fault fault, long perMillion) {
        chances.put(fault, perMillion);
    }

    /** Sets all probabilities to 0. */
    public void clear() {
        chances.clear();
    }

    /** Draws whether this fault strikes now. If so, it is counted, as the caller's operation is under way. */
    public boolean draw(Fault fault) {
        boolean hit = random.chance(chances.getOrDefault(fault, 0L));
        if (hit) {
            count(fault);
        }
        return hit;
    }

    /** Decides by the hash whether this fault strikes: always or never, as long as the probabilities stay the same. */
    public boolean drawByHash(Fault fault, int hash) {
        boolean hit = Math.floorMod(hash * 0x9e3779b9 >>> 7, 1_000_000) < chances.getOrDefault(fault, 0L);
        if (hit) {
            count(fault);
        }
        return hit;
    }

    /** Counts a fault that met an operation under way. */
    public void count(Fault fault) {
        counts.merge(fault, 1L, Long::sum);
        trace.mix(2, fault.ordinal());
    }

    /** Number of faults so far, per kind. */
    public TreeMap<Fault, Long> counts() {
        return new TreeMap<>(counts);
    }
}
