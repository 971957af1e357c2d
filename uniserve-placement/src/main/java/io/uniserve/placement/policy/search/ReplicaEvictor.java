package io.uniserve.placement.policy.search;

import java.util.Arrays;

/**
 * Evictor of replicas that violate a shard set's limit or a server's memory, so that the value of the remaining ones is maximal. Exact by
 * branch and bound per server for few conflicting replicas, otherwise greedy.
 */
final class ReplicaEvictor {
    private static final int EXACT_MAX = 20;
    private static final int NODES_MAX = 200_000;

    private final SearchState state;
    private final int[] needed;

    private int[] actor = {};
    private double[] value = {};
    private double[] carriedLoad = {};
    private boolean[] keep = {};
    private boolean[] best = {};
    private double bestValue;
    private int nodes;

    ReplicaEvictor(SearchState s, int[] needed) {
        this.state = s;
        this.needed = needed;
    }

    void evictAll() {
        for (int j = 0; j < state.servers; j++) {
            evict(j);
        }
    }

    private void evict(int j) {
        int[] conflicting = conflicting(j);
        if (conflicting.length == 0) {
            return;
        }
        if (conflicting.length > EXACT_MAX) {
            greedy(j);
            return;
        }
        int n = conflicting.length;
        actor = conflicting;
        value = new double[n];
        for (int q = 0; q < n; q++) {
            value[q] = valueOf(actor[q], j);
        }
        sortByValue();
        carriedLoad = new double[n];
        for (int q = 0; q < n; q++) {
            carriedLoad[q] = state.loadOf[actor[q]][state.position(actor[q], j)];
        }
        keep = new boolean[n];
        best = new boolean[n];
        bestValue = -1;
        nodes = 0;
        for (int i : actor) {
            state.drop(i, j);
        }
        branch(0, 0, Arrays.stream(value).sum(), j);
        for (int q = 0; q < n; q++) {
            if (best[q]) {
                state.add(actor[q], j);
                state.setFlow(actor[q], j, carriedLoad[q]);
            }
        }
    }

    /** Returns the value of a replica: that of an add if it would have to be added again, little if the actor has more than it needs. */
    private double valueOf(int i, int j) {
        int spare = state.hosts[i] - needed[i];
        double base = spare < 0 ? 1 : 1.0 / (1 + spare);
        return base + 0.01 * Math.min(1, state.load[i] / Math.max(state.high[j], Double.MIN_NORMAL));
    }

    private int[] conflicting(int j) {
        boolean full = state.usedMemory[j] > state.capacity[j];
        int[] found = new int[state.actorCountOn[j]];
        int n = 0;
        for (int q = 0; q < state.actorCountOn[j]; q++) {
            int i = state.actorsOn[j][q];
            boolean broken = full;
            for (int set : state.sets.setsOf(i)) {
                broken |= state.sets.count(set, j) > state.sets.limit[set];
            }
            if (broken) {
                found[n++] = i;
            }
        }
        return Arrays.copyOf(found, n);
    }

    private void branch(int q, double sum, double rest, int j) {
        if (sum + rest <= bestValue + 1e-12 || nodes++ > NODES_MAX) {
            return;
        }
        if (q == actor.length) {
            bestValue = sum;
            best = keep.clone();
            return;
        }
        int i = actor[q];
        if (state.hasRoom(i, j) && state.sets.fits(i, j)) {
            int mark = state.savepoint();
            state.add(i, j);
            keep[q] = true;
            branch(q + 1, sum + value[q], rest - value[q], j);
            keep[q] = false;
            state.rollback(mark);
        }
        branch(q + 1, sum, rest - value[q], j);
    }

    private void greedy(int j) {
        for (int[] left = conflicting(j); left.length > 0; left = conflicting(j)) {
            int worst = left[0];
            double worstScore = -1;
            for (int i : left) {
                int broken = 1;
                for (int set : state.sets.setsOf(i)) {
                    broken += Math.max(0, state.sets.count(set, j) - state.sets.limit[set]);
                }
                double score = broken / valueOf(i, j);
                if (score > worstScore) {
                    worstScore = score;
                    worst = i;
                }
            }
            state.drop(worst, j);
        }
    }

    private void sortByValue() {
        for (int a = 1; a < actor.length; a++) {
            for (int b = a; b > 0 && value[b - 1] < value[b]; b--) {
                double v = value[b];
                value[b] = value[b - 1];
                value[b - 1] = v;
                int i = actor[b];
                actor[b] = actor[b - 1];
                actor[b - 1] = i;
            }
        }
    }
}
