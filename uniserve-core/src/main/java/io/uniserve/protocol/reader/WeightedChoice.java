package io.uniserve.protocol.reader;

import io.uniserve.protocol.reader.RoutingPolicy.Candidate;
import java.util.List;

/** Draws in proportion to weights. */
final class WeightedChoice {
    private WeightedChoice() {}

    static int pick(List<Candidate> candidates, long random) {
        double total = 0;
        for (Candidate candidate : candidates) {
            total += candidate.weight();
        }
        double mark = (random >>> 11) * 0x1.0p-53 * total;
        for (int i = 0; i < candidates.size() - 1; i++) {
            mark -= candidates.get(i).weight();
            if (mark < 0) {
                return i;
            }
        }
        return candidates.size() - 1;
    }

    /** SplitMix64's finisher: the next of a chain of well-mixed numbers. */
    static long mix(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
