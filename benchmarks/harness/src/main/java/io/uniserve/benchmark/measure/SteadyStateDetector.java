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

    private final double[] lowest;
    private int steadyTurns;

    SteadyStateDetector(int sides) {
        this.lowest = new double[sides];
        Arrays.fill(lowest, Double.MAX_VALUE);
    }

    /** Takes the CPU per operation of each side in this turn. Returns true after {@link #TURNS} turns without a fall. */
    boolean addTurn(double... cpuMs) {
        boolean fell = false;
        for (int side = 0; side < lowest.length; side++) {
            fell |= cpuMs[side] < lowest[side] * (1 - FALL);
            lowest[side] = Math.min(lowest[side], cpuMs[side]);
        }
        steadyTurns = fell ? 0 : steadyTurns + 1;
        return steadyTurns >= TURNS;
    }
}
