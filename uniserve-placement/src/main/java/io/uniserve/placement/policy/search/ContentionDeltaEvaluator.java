package io.uniserve.placement.policy.search;

import org.jspecify.annotations.Nullable;

/**
 * Evaluation of changes of the contention without applying them, because annealing rejects most changes. A quick answer is a lower bound,
 * which suffices to reject most of them.
 */
final class ContentionDeltaEvaluator {
    private final ShardSetCounts sets;
    private final @Nullable ContentionDeltaTable table;
    private final long[] shared;
    private final int actors;

    ContentionDeltaEvaluator(SearchState s) {
        sets = s.sets;
        actors = s.actors;
        table = ContentionDeltaTable.fits(s) ? new ContentionDeltaTable(s) : null;
        shared = new long[table == null ? 0 : (int) (((long) actors * actors + 63) / 64)];
        if (table != null) {
            s.in.sets().forEach(set -> share(set.actors()));
        }
    }

    private void share(int[] together) {
        for (int i : together) {
            for (int k : together) {
                int bit = i * actors + k;
                shared[bit >> 6] |= 1L << bit;
            }
        }
    }

    private boolean share(int i, int k) {
        int bit = i * actors + k;
        return (shared[bit >> 6] & (1L << bit)) != 0;
    }

    /** Removes accumulated rounding errors from the quick answers. */
    void refresh() {
        if (table != null) {
            table.rebuild();
        }
    }

    /** Updates the counts for an added replica. */
    void count(int actor, int server) {
        if (table == null) {
            sets.add(actor, server);
        } else {
            table.add(actor, server);
        }
    }

    /** Updates the counts for a removed replica. */
    void uncount(int actor, int server) {
        if (table == null) {
            sets.drop(actor, server);
        } else {
            table.drop(actor, server);
        }
    }

    /** Returns a lower bound of {@link #move}. */
    double quickMove(int actor, int from, int to) {
        return table == null ? Double.NEGATIVE_INFINITY : table.raise(actor, to) - table.lower(actor, from);
    }

    /** Returns a lower bound of {@link #swap}. */
    double quickSwap(int i, int a, int k, int b) {
        if (table == null || share(i, k)) {
            return Double.NEGATIVE_INFINITY;
        }
        return table.raise(i, b) - table.lower(i, a) + table.raise(k, a) - table.lower(k, b);
    }

    /** Returns the change of the contention if the actor's replica moves from one server to another. */
    double move(int actor, int from, int to) {
        double sum = 0;
        for (int s : sets.setsOf(actor)) {
            sum += setDelta(s, from, to);
        }
        return sum;
    }

    /** Returns the change of the contention if two replicas change places; sets with both actors do not change. */
    double swap(int i, int a, int k, int b) {
        int[] x = sets.setsOf(i);
        int[] y = sets.setsOf(k);
        double sum = 0;
        int p = 0;
        int q = 0;
        while (p < x.length || q < y.length) {
            if (q == y.length || (p < x.length && x[p] < y[q])) {
                sum += setDelta(x[p++], a, b);
            } else if (p == x.length || y[q] < x[p]) {
                sum += setDelta(y[q++], b, a);
            } else {
                p++;
                q++;
            }
        }
        return sum;
    }

    /** Returns the change of the contention if the actor gets a replica. */
    double add(int actor, int to) {
        double sum = 0;
        for (int s : sets.setsOf(actor)) {
            sum += sets.count(s, to) == sets.largest(s) ? sets.frequency[s] : 0;
        }
        return sum;
    }

    /** Returns the change of the contention if the actor loses a replica. */
    double drop(int actor, int from) {
        double sum = 0;
        for (int s : sets.setsOf(actor)) {
            int most = sets.largest(s);
            boolean last = sets.count(s, from) == most && sets.serversAt(s, most) == 1;
            sum -= last ? sets.frequency[s] : 0;
        }
        return sum;
    }

    private double setDelta(int s, int from, int to) {
        int most = sets.largest(s);
        int after = sets.count(s, to) + 1;
        if (after > most) {
            return sets.frequency[s];
        }
        boolean last = after < most && sets.count(s, from) == most && sets.serversAt(s, most) == 1;
        return last ? -sets.frequency[s] : 0;
    }
}
