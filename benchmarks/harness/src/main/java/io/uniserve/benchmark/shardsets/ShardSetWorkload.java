package io.uniserve.benchmark.shardsets;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Popular shard sets with their frequencies. The n-th query reads the same set in every run with the same seed. Immutable.
 *
 * <p>The set of rank r has frequency 1 / r. In kind DRIFT a tenth of the sets, the most and the least popular, exchange their ranks after
 * the drift.
 */
final class ShardSetWorkload {
    private static final long MIX = 0x9e3779b97f4a7c15L;
    /** Part of the sets that drift: half of them become popular, half unpopular. */
    private static final double DRIFTING = 0.1;

    private final ShardSetKind kind;
    private final List<int[]> sets;
    private final double[] early;
    private final double[] late;

    /**
     * Draws the sets.
     *
     * @param parts number of actors, at least 8
     * @param count number of sets, at least 2; some may have the same actors
     */
    ShardSetWorkload(ShardSetKind kind, int parts, int count, long seed) {
        this.kind = kind;
        Random random = new Random(seed * MIX + kind.ordinal());
        List<int[]> drawn = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            drawn.add(kind.draw(i, parts, random));
        }
        sets = List.copyOf(drawn);
        double[] popularity = new double[count];
        for (int i = 0; i < count; i++) {
            popularity[i] = 1.0 / (i + 1);
        }
        early = shares(popularity);
        late = kind == ShardSetKind.DRIFT ? drifted(early) : early;
    }

    private static double[] drifted(double[] popularity) {
        double[] next = popularity.clone();
        int pairs = Math.max(1, (int) Math.round(popularity.length * DRIFTING / 2));
        for (int i = 0; i < pairs; i++) {
            next[i] = popularity[popularity.length - 1 - i];
            next[popularity.length - 1 - i] = popularity[i];
        }
        return next;
    }

    private static double[] shares(double[] popularity) {
        double sum = Arrays.stream(popularity).sum();
        return Arrays.stream(popularity).map(one -> one / sum).toArray();
    }

    ShardSetKind kind() {
        return kind;
    }

    /** Returns the number of sets. */
    int count() {
        return sets.size();
    }

    /** Returns the parts of a set, in ascending order. */
    int[] parts(int set) {
        return sets.get(set).clone();
    }

    /** Returns the share of queries that read a set. */
    double share(int set, boolean isLate) {
        return (isLate ? late : early)[set];
    }

    /** Returns the set that the n-th query reads. */
    int choose(long n, boolean isLate) {
        long mixed = (n + 1) * MIX;
        mixed = (mixed ^ (mixed >>> 32)) * MIX;
        double left = (mixed >>> 11) * 0x1.0p-53;
        double[] shares = isLate ? late : early;
        for (int set = 0; set < shares.length; set++) {
            left -= shares[set];
            if (left < 0) {
                return set;
            }
        }
        return shares.length - 1;
    }

    /** Returns the mean number of actors per query. */
    double meanParts(boolean isLate) {
        double mean = 0;
        for (int set = 0; set < sets.size(); set++) {
            mean += share(set, isLate) * sets.get(set).length;
        }
        return mean;
    }
}
