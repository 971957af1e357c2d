package io.uniserve.placement.policy.search;

import java.util.SplittableRandom;

/**
 * Placer of all actors in the order of their numbers, each on its earlier server if the limits of the shard sets allow. Popular sets are
 * mostly ranges. If they need nearly every server, only this order finds a server for every actor. In another order the neighbours of an
 * actor may take all servers that it could use.
 */
final class SequentialPlacer {
    /** Penalty for a server where a neighbour would have to move, in units of the mean load. */
    private static final double DISPLACES = 2;

    private final SearchState state;
    private final int[] needed;
    private final SplittableRandom random;
    private final ZoneSpreadRule zones;

    /** Earlier replicas of actors that are not placed yet, per server and set. */
    private final short[] pendingCounts;

    SequentialPlacer(SearchState s, int[] needed, SplittableRandom random, ZoneSpreadRule zones) {
        this.state = s;
        this.needed = needed;
        this.random = random;
        this.zones = zones;
        pendingCounts = new short[s.sets.sets * s.servers];
    }

    /** Places all actors. Actors for which no host is allowed keep too few. */
    void place(double noise) {
        for (int i = 0; i < state.actors; i++) {
            for (int p = state.hosts[i] - 1; p >= 0; p--) {
                state.drop(i, state.host[i][p]);
            }
            updatePending(i, 1);
        }
        for (int i = 0; i < state.actors; i++) {
            updatePending(i, -1);
            place(i, noise);
        }
        for (int i = 0; i < state.actors; i++) {
            for (int j : state.in.current().hosts(i)) {
                if (state.mayHost(i, j)) {
                    state.add(i, j);
                }
            }
        }
    }

    private void updatePending(int actor, int change) {
        for (int j : state.in.current().hosts(actor)) {
            for (int set : state.sets.setsOf(actor)) {
                pendingCounts[j * state.sets.sets + set] += (short) change;
            }
        }
    }

    private void place(int i, double noise) {
        double part = state.load[i] / Math.max(1, needed[i]);
        for (int j : state.in.current().hosts(i)) {
            boolean apart = zones.missingZones(i) < needed[i] - state.hosts[i] || !zones.isZoneUsed(i, j);
            if (state.hosts[i] < needed[i] && apart && state.mayHost(i, j)) {
                state.add(i, j);
                state.setFlow(i, j, part);
            }
        }
        while (state.hosts[i] < needed[i]) {
            int j = pick(i, noise);
            if (j < 0) {
                return;
            }
            state.add(i, j);
            state.setFlow(i, j, part);
        }
    }

    private int pick(int i, double noise) {
        int best = -1;
        double most = Double.NEGATIVE_INFINITY;
        double mean = Math.max(state.in.mean(), Double.MIN_NORMAL);
        for (int j = 0; j < state.servers; j++) {
            if (!state.mayHost(i, j) || (zones.missingZones(i) > 0 && zones.isZoneUsed(i, j))) {
                continue;
            }
            double score = (state.high[j] - state.serverLoad[j]) / mean - (displaces(i, j) ? DISPLACES : 0);
            score += noise > 0 ? noise * random.nextDouble() : 0;
            if (score > most) {
                most = score;
                best = j;
            }
        }
        return best;
    }

    private boolean displaces(int i, int j) {
        for (int set : state.sets.setsOf(i)) {
            if (state.sets.count(set, j) + pendingCounts[j * state.sets.sets + set] >= state.sets.limit[set]) {
                return true;
            }
        }
        return false;
    }
}
