package io.uniserve.simulator.kernel;

import java.util.List;

/** SplitMix64 generator. A seed gives the same sequence on every machine and JDK. Not thread-safe. */
public final class Prng {
    private static final long GAMMA = 0x9e3779b97f4a7c15L;

    private long state;

    public Prng(long seed) {
        this.state = seed;
    }

    /** Independent sequence for one part of the simulation, so that more draws in one part do not affect the others. */
    public Prng fork(String label) {
        long mixed = state;
        for (int i = 0; i < label.length(); i++) {
            mixed = mix(mixed * 31 + label.charAt(i) + GAMMA);
        }
        return new Prng(mixed);
    }

    /** Any long. */
    public long next() {
        state += GAMMA;
        return mix(state);
    }

    /** From 0 to bound - 1. */
    public long below(long bound) {
        return Math.floorMod(next() >>> 1, bound);
    }

    /** From 0 to bound - 1. */
    public int below(int bound) {
        return (int) below((long) bound);
    }

    /** From low to high, both inclusive. */
    public long between(long low, long high) {
        return low + below(high - low + 1);
    }

    /** From low to high, both inclusive. */
    public int between(int low, int high) {
        return (int) between((long) low, (long) high);
    }

    /** True with this chance per million. */
    public boolean chance(long perMillion) {
        return perMillion > 0 && below(1_000_000L) < perMillion;
    }

    /** Random element of a list that is not empty. */
    public <T> T pick(List<T> list) {
        return list.get(below(list.size()));
    }

    private static long mix(long value) {
        long z = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
