package io.uniserve.cli.place;

import io.uniserve.balance.check.PlacementCheck;
import java.util.ArrayList;
import java.util.List;

/** What the rounds of a case came to. */
final class BenchScore {
    private final List<Double> seconds = new ArrayList<>();
    private double gapSum;
    private double gapMax;
    private int rounds;
    private int later;
    private int unbalanced;
    private int unsound;
    private long firstAdds;
    private long laterAdds;
    private int againMoves;
    private long replicas;

    void add(int round, PlacementCheck check, int servers, double took) {
        seconds.add(took);
        rounds++;
        gapSum += check.gap();
        gapMax = Math.max(gapMax, check.gap());
        unbalanced += check.balanced(servers) ? 0 : 1;
        unsound += check.sound() ? 0 : 1;
        replicas += check.replicas();
        if (round == 0) {
            firstAdds += check.adds();
        } else {
            later++;
            laterAdds += check.adds();
        }
    }

    void again(int moves) {
        againMoves += moves;
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
        return unsound;
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
        return seconds.stream().sorted().skip(seconds.size() / 2).findFirst().orElse(0.0);
    }

    double secondsMax() {
        return seconds.stream().mapToDouble(v -> v).max().orElse(0);
    }
}
