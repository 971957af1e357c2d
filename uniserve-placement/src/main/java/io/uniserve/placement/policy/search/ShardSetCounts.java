package io.uniserve.placement.policy.search;

import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ShardSet;
import java.util.List;

/**
 * Counts of each shard set's actors per server, and the contention: the sum of frequency times largest count. They are updated with the
 * replicas, by a histogram of counts per set. Each set has a limit for its largest count.
 */
final class ShardSetCounts {
    private static final int[] NONE = {};

    final int sets;
    final int[] limit;
    final int[] bound;
    final double[] frequency;
    private final int[][] setsOf;
    private final short[] count;
    private final int[][] histogram;
    private final int[] largest;
    private double contention;

    ShardSetCounts(ClusterLoad in) {
        List<ShardSet> given = in.sets();
        sets = given.size();
        frequency = new double[sets];
        setsOf = membership(given, in.actors());
        count = new short[Math.multiplyExact(sets, in.servers())];
        histogram = new int[sets][];
        largest = new int[sets];
        bound = PlacementLowerBounds.ofSets(in);
        limit = bound.clone();
        for (int s = 0; s < sets; s++) {
            frequency[s] = given.get(s).frequency();
            histogram[s] = new int[given.get(s).actors().length + 2];
            histogram[s][0] = in.servers();
        }
    }

    private static int[][] membership(List<ShardSet> given, int actors) {
        int[] sizes = new int[actors];
        for (ShardSet set : given) {
            for (int actor : set.actors()) {
                sizes[actor]++;
            }
        }
        int[][] of = new int[actors][];
        for (int i = 0; i < actors; i++) {
            of[i] = sizes[i] == 0 ? NONE : new int[sizes[i]];
        }
        for (int s = given.size() - 1; s >= 0; s--) {
            for (int actor : given.get(s).actors()) {
                of[actor][--sizes[actor]] = s;
            }
        }
        return of;
    }

    int[] setsOf(int actor) {
        return setsOf[actor];
    }

    double contention() {
        return contention;
    }

    int count(int set, int server) {
        return count[server * sets + set];
    }

    int largest(int set) {
        return largest[set];
    }

    int serversAt(int set, int value) {
        return value < histogram[set].length ? histogram[set][value] : 0;
    }

    void add(int actor, int server) {
        for (int s : setsOf[actor]) {
            addTo(s, server);
        }
    }

    void drop(int actor, int server) {
        for (int s : setsOf[actor]) {
            dropFrom(s, server);
        }
    }

    /** Adds an actor of the set on the server. */
    void addTo(int s, int server) {
        int c = ++count[server * sets + s];
        int[] h = histogram[s];
        h[c - 1]--;
        h[c]++;
        if (c > largest[s]) {
            largest[s] = c;
            contention += frequency[s];
        }
    }

    /** Removes an actor of the set from the server. */
    void dropFrom(int s, int server) {
        int c = count[server * sets + s]--;
        int[] h = histogram[s];
        h[c]--;
        h[c - 1]++;
        if (h[c] == 0 && largest[s] == c) {
            largest[s] = c - 1;
            contention -= frequency[s];
        }
    }

    /** True if one more replica of the actor on the server keeps all sets within their limits. */
    boolean fits(int actor, int server) {
        int base = server * sets;
        for (int s : setsOf[actor]) {
            if (count[base + s] >= limit[s]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the frequency of the sets that one more replica of the actor on the server would bring above their limits. */
    double excess(int actor, int server) {
        int base = server * sets;
        double sum = 0;
        for (int s : setsOf[actor]) {
            if (count[base + s] >= limit[s]) {
                sum += frequency[s];
            }
        }
        return sum;
    }

    /** Recomputes the contention from the counts, without accumulated rounding errors. */
    double exactContention() {
        double sum = 0;
        for (int s = 0; s < sets; s++) {
            sum += frequency[s] * largest[s];
        }
        return sum;
    }
}
