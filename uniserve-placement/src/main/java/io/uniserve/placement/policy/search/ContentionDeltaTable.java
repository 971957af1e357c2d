package io.uniserve.placement.policy.search;

import io.uniserve.placement.model.ShardSet;
import java.util.Arrays;
import java.util.List;

/**
 * Table of the change of contention per actor and server for one more and one less replica. It is updated with the replicas, so that
 * annealing can reject most changes after it has read two numbers.
 */
final class ContentionDeltaTable {
    /** Larger tables do not fit into a cache, and cost more than they save. */
    private static final int ENTRIES_MAX = 1 << 18;

    private final ShardSetCounts sets;
    private final List<ShardSet> given;
    private final int servers;
    private final double[] raise;
    private final double[] lower;

    /** Creates the table of a cluster for which {@link #fits} is true. */
    ContentionDeltaTable(SearchState s) {
        sets = s.sets;
        given = s.in.sets();
        servers = s.servers;
        raise = new double[s.actors * servers];
        lower = new double[s.actors * servers];
        rebuild();
    }

    static boolean fits(SearchState s) {
        return (long) s.actors * s.servers <= ENTRIES_MAX;
    }

    /** Recomputes the table, which removes accumulated rounding errors. */
    void rebuild() {
        Arrays.fill(raise, 0);
        Arrays.fill(lower, 0);
        for (int set = 0; set < sets.sets; set++) {
            int most = sets.largest(set);
            boolean alone = sets.serversAt(set, most) == 1;
            for (int j = 0; j < servers; j++) {
                if (sets.count(set, j) == most) {
                    put(raise, set, j, sets.frequency[set]);
                    if (alone) {
                        put(lower, set, j, sets.frequency[set]);
                    }
                }
            }
        }
    }

    /** Increase of the contention by one more replica. */
    double raise(int actor, int server) {
        return raise[actor * servers + server];
    }

    /** Decrease of the contention by one less replica. */
    double lower(int actor, int server) {
        return lower[actor * servers + server];
    }

    /** Updates the table for an added replica. */
    void add(int actor, int server) {
        for (int set : sets.setsOf(actor)) {
            int most = sets.largest(set);
            int at = sets.serversAt(set, most);
            int count = sets.count(set, server);
            double f = sets.frequency[set];
            if (count == most) {
                for (int j = 0; j < servers && at > 1; j++) {
                    if (j != server && sets.count(set, j) == most) {
                        put(raise, set, j, -f);
                    }
                }
                if (at != 1) {
                    put(lower, set, server, f);
                }
            } else if (count + 1 == most) {
                put(raise, set, server, f);
                if (at == 1) {
                    put(lower, set, singleActor(set, most, server), -f);
                }
            }
            sets.addTo(set, server);
        }
    }

    /** Updates the table for a removed replica. */
    void drop(int actor, int server) {
        for (int set : sets.setsOf(actor)) {
            int most = sets.largest(set);
            int at = sets.serversAt(set, most);
            int count = sets.count(set, server);
            double f = sets.frequency[set];
            sets.dropFrom(set, server);
            if (count == most && at == 1) {
                for (int j = 0; j < servers; j++) {
                    if (j != server && sets.count(set, j) == most - 1) {
                        put(raise, set, j, f);
                    }
                }
                if (sets.serversAt(set, most - 1) != 1) {
                    put(lower, set, server, -f);
                }
            } else if (count == most) {
                put(raise, set, server, -f);
                if (at == 2) {
                    put(lower, set, singleActor(set, most, server), f);
                }
            }
        }
    }

    private int singleActor(int set, int most, int besides) {
        int j = 0;
        while (j == besides || sets.count(set, j) != most) {
            j++;
        }
        return j;
    }

    private void put(double[] table, int set, int server, double change) {
        for (int i : given.get(set).actors()) {
            table[i * servers + server] += change;
        }
    }
}
