package io.uniserve.cli.bench.measure;

import java.util.Arrays;

/**
 * Says when several sides, run in turn, are warm: when the CPU an operation of none has fallen for some turns. A compiler
 * that has work left costs CPU, and the side that is asked first would pay for more of it. Not thread-safe.
 */
final class SteadyState {
    /** So many turns without a fall are a steady state. */
    static final int TURNS = 3;
    /** A fall of less than this share is none. */
    static final double FALL = 0.03;

    private final double[] least;
    private int steady;

    SteadyState(int sides) {
        this.least = new double[sides];
        Arrays.fill(least, Double.MAX_VALUE);
    }

    /** Takes what an operation of each side cost in this turn; true once nothing has fallen for {@link #TURNS}. */
    boolean after(double... cpuMs) {
        boolean fell = false;
        for (int side = 0; side < least.length; side++) {
            fell |= cpuMs[side] < least[side] * (1 - FALL);
            least[side] = Math.min(least[side], cpuMs[side]);
        }
        steady = fell ? 0 : steady + 1;
        return steady >= TURNS;
    }
}
