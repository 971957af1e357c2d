package io.uniserve.benchmark.measure;

import java.util.Arrays;

/**
 * Detector of the steady state of several sides that alternate: no side's CPU per operation has fallen for some turns. A JIT compiler with
 * remaining work uses CPU, most of it on the side that runs first. Not thread-safe.
 */
final class SteadyStateDetector {
    /** Number of turns without a fall that count as steady. */
    static final int TURNS = 3;
    /** Smaller relative falls are ignored. */
    static final double FALL = 0.03;

    private final double[] least;
    private int steady;

    SteadyStateDetector(int sides) {
        this.least = new double[sides];
        Arrays.fill(least, Double.MAX_VALUE);
    }

    /** Takes the CPU per operation of each side in this turn. Returns true after {@link #TURNS} turns without a fall. */
    boolean addTurn(double... cpuMs) {
        boolean fell = false;
        for (int side = 0; side < least.length; side++) {
            fell |= cpuMs[side] < least[side] * (1 - FALL);
            least[side] = Math.min(least[side], cpuMs[side]);
        }
        steady = fell ? 0 : steady + 1;
        return steady >= TURNS;
    }
}
