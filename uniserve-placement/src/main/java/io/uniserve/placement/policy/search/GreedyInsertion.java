package io.uniserve.placement.policy.search;

import java.util.SplittableRandom;

/**
 * Greedy placement of actors without enough hosts: largest load per missing replica first, each on the server with most room within the
 * limits. An earlier host of the actor is free of cost and comes first. If no server is within the limits, the one with the least violation
 * is used, and the limits of the violated sets are raised.
 */
final class GreedyInsertion {
    /** Penalty for a server in a zone that already has the actor: it comes after all others. */
    private static final double ZONE = 100;

    private final SearchState state;
    private final int[] needed;
    private final SplittableRandom random;
    private final EjectionMove ejectionMove;
    private final ZoneSpreadRule zones;

    GreedyInsertion(SearchState s, int[] needed, SplittableRandom random, ZoneSpreadRule zones) {
        this.zones = zones;
        this.state = s;
        this.needed = needed;
        this.random = random;
        ejectionMove = new EjectionMove(s, zones);
    }

    /** Returns the load per missing replica: actors with larger values should be placed earlier. */
    double urgency(int i) {
        return state.load[i] / Math.max(1, needed[i]);
    }

    /**
     * Places one actor until it has all needed hosts and all its load.
     *
     * @param noise weight of chance in the choice of a server, relative to the mean load
     * @return false if no server had memory for a replica
     */
    boolean place(int i, double noise) {
        restore(i);
        boolean complete = true;
        while (state.hosts[i] < needed[i]) {
            int missing = needed[i] - state.hosts[i];
            double part = Math.max(0, state.unplaced(i)) / missing;
            int j = pickServer(i, noise);
            if (j < 0) {
                j = ejectionMove.freeServer(i);
            }
            if (j < 0) {
                complete = false;
                break;
            }
            addReplica(i, j, part);
        }
        placeRemaining(i);
        return complete;
    }

    /** Restores earlier hosts that are allowed again: they cost nothing. */
    private void restore(int i) {
        int n = state.in.current().replicas(i);
        for (int p = 0; p < n && state.hosts[i] < needed[i]; p++) {
            int j = state.in.current().server(i, p);
            boolean apart = zones.missingZones(i) < needed[i] - state.hosts[i] || !zones.isZoneUsed(i, j);
            if (apart && state.mayHost(i, j)) {
                addReplica(i, j, Math.max(0, state.unplaced(i)) / (needed[i] - state.hosts[i]));
            }
        }
    }

    private void addReplica(int i, int j, double part) {
        for (int set : state.sets.setsOf(i)) {
            if (state.sets.count(set, j) >= state.sets.limit[set]) {
                state.setLimit(set, state.sets.count(set, j) + 1);
            }
        }
        state.add(i, j);
        double room = state.high[j] - state.serverLoad[j];
        state.setFlow(i, j, Math.min(part, Math.max(0, room)));
    }

    /** Distributes unplaced load to the hosts with most room, beyond their tolerance if necessary. */
    private void placeRemaining(int i) {
        double rest = state.unplaced(i);
        while (rest > state.epsilon && state.hosts[i] > 0) {
            int best = 0;
            double bestRoom = Double.NEGATIVE_INFINITY;
            for (int p = 0; p < state.hosts[i]; p++) {
                int j = state.host[i][p];
                double room = state.high[j] - state.serverLoad[j];
                if (room > bestRoom) {
                    bestRoom = room;
                    best = p;
                }
            }
            double part = bestRoom > state.epsilon ? Math.min(rest, bestRoom) : rest;
            state.setFlow(i, state.host[i][best], state.loadOf[i][best] + part);
            rest -= part;
        }
    }

    private int pickServer(int i, double noise) {
        int best = -1;
        double bestScore = Double.NEGATIVE_INFINITY;
        double unit = Math.max(state.in.mean(), Double.MIN_NORMAL);
        for (int j = 0; j < state.servers; j++) {
            if (!state.hasRoom(i, j)) {
                continue;
            }
            double middle = 0.5 * (state.high[j] + state.low[j]);
            double room = (middle - state.serverLoad[j]) / unit;
            double score = Math.min(room, 10) - 0.01 * state.usedMemory[j] / state.capacity[j];
            if (zones.isActive() && zones.isZoneUsed(i, j)) {
                score -= ZONE;
            }
            if (noise > 0) {
                score += noise * random.nextDouble();
            }
            if (score > bestScore && state.mayHost(i, j)) {
                bestScore = score;
                best = j;
            }
        }
        if (best >= 0 && (zones.missingZones(i) == 0 || !zones.isZoneUsed(i, best))) {
            return best;
        }
        // A new zone is worth more than a set's limit.
        int apart = zones.missingZones(i) > 0 ? leastViolatingServer(i, true) : -1;
        return apart >= 0 ? apart : best >= 0 ? best : leastViolatingServer(i, false);
    }

    private int leastViolatingServer(int i, boolean elsewhere) {
        int best = -1;
        double bestScore = Double.POSITIVE_INFINITY;
        for (int j = 0; j < state.servers; j++) {
            if (state.hasRoom(i, j) && !state.isOn(i, j) && !(elsewhere && zones.isZoneUsed(i, j))) {
                double score = state.sets.excess(i, j)
                        + 1e-6 * state.serverLoad[j] / Math.max(state.high[j], Double.MIN_NORMAL);
                if (score < bestScore) {
                    bestScore = score;
                    best = j;
                }
            }
        }
        return best;
    }
}
