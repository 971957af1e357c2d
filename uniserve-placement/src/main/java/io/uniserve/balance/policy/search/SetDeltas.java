package io.uniserve.balance.policy.search;

/** What a change would do to the contention, without making it: most changes that annealing thinks of are not made. */
final class SetDeltas {
    private final SetCounts sets;

    SetDeltas(SetCounts sets) {
        this.sets = sets;
    }

    /** Change of the contention where the actor's replica goes from one server to another. */
    double move(int actor, int from, int to) {
        double sum = 0;
        for (int s : sets.setsOf(actor)) {
            sum += one(s, from, to);
        }
        return sum;
    }

    /** Change of the contention where two replicas change places; sets that hold both actors stay as they are. */
    double swap(int i, int a, int k, int b) {
        int[] x = sets.setsOf(i);
        int[] y = sets.setsOf(k);
        double sum = 0;
        int p = 0;
        int q = 0;
        while (p < x.length || q < y.length) {
            if (q == y.length || (p < x.length && x[p] < y[q])) {
                sum += one(x[p++], a, b);
            } else if (p == x.length || y[q] < x[p]) {
                sum += one(y[q++], b, a);
            } else {
                p++;
                q++;
            }
        }
        return sum;
    }

    private double one(int s, int from, int to) {
        int most = sets.largest(s);
        int after = sets.count(s, to) + 1;
        if (after > most) {
            return sets.frequency[s];
        }
        boolean last = after < most && sets.count(s, from) == most && sets.serversAt(s, most) == 1;
        return last ? -sets.frequency[s] : 0;
    }
}
