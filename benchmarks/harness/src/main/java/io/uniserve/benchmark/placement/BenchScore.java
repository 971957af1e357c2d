package io.uniserve.benchmark.placement;

import io.uniserve.placement.check.PlacementProperties;
import java.util.ArrayList;
import java.util.List;

/** Results of a case over its rounds. */
final class BenchScore {
    private final List<Double> seconds = new ArrayList<>();
    private final List<Double> cpuSeconds = new ArrayList<>();
    private double gapSum;
    private double gapMax;
    private int rounds;
    private int later;
    private int unbalanced;
    private int invalid;
    private long firstAdds;
    private long laterAdds;
    private int againMoves;
    private long replicas;
    private double contention;
    private double bound;
    private final long[] bounded = new long[2];
    private final long[] leastAdds = new long[2];

    void add(int round, PlacementProperties check, int servers, double took, double cpu) {
        seconds.add(took);
        cpuSeconds.add(cpu);
        rounds++;
        gapSum += check.gap();
        gapMax = Math.max(gapMax, check.gap());
        unbalanced += check.isBalanced(servers) ? 0 : 1;
        invalid += check.isValid() ? 0 : 1;
        replicas += check.replicas();
        contention += check.contention();
        bound += check.bound();
        if (round == 0) {
            firstAdds += check.adds();
        } else {
            later++;
            laterAdds += check.adds();
        }
    }

    void addRepeat(int moves) {
        againMoves += moves;
    }

    /** Adds a round whose contention is at its bound, with the minimum of adds for such a placement. */
    void bound(int round, int adds, int least) {
        bounded[Math.min(1, round)] += adds;
        leastAdds[Math.min(1, round)] += least;
    }

    /** Returns the adds of first rounds divided by their minimum; 0 without bounds. */
    double firstOverBound() {
        return (double) bounded[0] / Math.max(1, leastAdds[0]);
    }

    /** Returns the adds of later rounds divided by their minimum. */
    double laterOverBound() {
        return (double) bounded[1] / Math.max(1, leastAdds[1]);
    }

    double contentionMean() {
        return contention / rounds;
    }

    double boundMean() {
        return bound / rounds;
    }

    double gapMean() {
        return gapSum / rounds;
    }

    double gapMax() {
        return gapMax;
    }

    int unbalanced() {
        return unbalanced;
    }

    int unsound() {
        return invalid;
    }

    double firstAdds() {
        return (double) firstAdds / Math.max(1, rounds - later);
    }

    double laterAdds() {
        return (double) laterAdds / Math.max(1, later);
    }

    int againMoves() {
        return againMoves;
    }

    double replicas() {
        return (double) replicas / rounds;
    }

    double secondsMedian() {
        return median(seconds);
    }

    /** Returns the CPU time of the searching thread, which does not depend on other load of the machine. */
    double cpuMedian() {
        return median(cpuSeconds);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElse(0.0);
    }

    double secondsMax() {
        return seconds.stream().mapToDouble(v -> v).max().orElse(0);
    }
}
