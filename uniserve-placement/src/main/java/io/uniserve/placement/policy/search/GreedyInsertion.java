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

    private final SearchState s;
    private final int[] needed;
    private final SplittableRandom random;
    private final EjectionMove ejectionMove;
    private final ZoneRule zones;

    GreedyInsertion(SearchState s, int[] needed, SplittableRandom random, ZoneRule zones) {
        this.zones = zones;
        this.s = s;
        this.needed = needed;
        this.random = random;
        ejectionMove = new EjectionMove(s, zones);
    }

    /** Returns the load per missing replica: actors with larger values should be placed earlier. */
    double urgency(int i) {
        return s.load[i] / Math.max(1, needed[i]);
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
        while (s.hosts[i] < needed[i]) {
            int missing = needed[i] - s.hosts[i];
            double part = Math.max(0, s.unplaced(i)) / missing;
            int j = pick(i, noise);
            if (j < 0) {
                j = ejectionMove.freeServer(i);
            }
            if (j < 0) {
                complete = false;
                break;
            }
            put(i, j, part);
        }
        spread(i);
        return complete;
    }

    /** Restores earlier hosts that are allowed again: they cost nothing. */
    private void restore(int i) {
        int n = s.in.current().replicas(i);
        for (int p = 0; p < n && s.hosts[i] < needed[i]; p++) {
            int j = s.in.current().server(i, p);
            boolean apart = zones.missingZones(i) < needed[i] - s.hosts[i] || !zones.isZoneUsed(i, j);
            if (apart && s.mayHost(i, j)) {
                put(i, j, Math.max(0, s.unplaced(i)) / (needed[i] - s.hosts[i]));
            }
        }
    }

    private void put(int i, int j, double part) {
        for (int set : s.sets.setsOf(i)) {
            if (s.sets.count(set, j) >= s.sets.limit[set]) {
                s.setLimit(set, s.sets.count(set, j) + 1);
            }
        }
        s.add(i, j);
        double room = s.high[j] - s.serverLoad[j];
        s.setFlow(i, j, Math.min(part, Math.max(0, room)));
    }

    /** Distributes unplaced load to the hosts with most room, beyond their tolerance if necessary. */
    private void spread(int i) {
        double rest = s.unplaced(i);
        while (rest > s.epsilon && s.hosts[i] > 0) {
            int best = 0;
            double bestRoom = Double.NEGATIVE_INFINITY;
            for (int p = 0; p < s.hosts[i]; p++) {
                int j = s.host[i][p];
                double room = s.high[j] - s.serverLoad[j];
                if (room > bestRoom) {
                    bestRoom = room;
                    best = p;
                }
            }
            double part = bestRoom > s.epsilon ? Math.min(rest, bestRoom) : rest;
            s.setFlow(i, s.host[i][best], s.loadOf[i][best] + part);
            rest -= part;
        }
    }

    private int pick(int i, double noise) {
        int best = -1;
        double bestScore = Double.NEGATIVE_INFINITY;
        double unit = Math.max(s.in.mean(), Double.MIN_NORMAL);
        for (int j = 0; j < s.servers; j++) {
            if (!s.hasRoom(i, j)) {
                continue;
            }
            double middle = 0.5 * (s.high[j] + s.low[j]);
            double room = (middle - s.serverLoad[j]) / unit;
            double score = Math.min(room, 10) - 0.01 * s.usedMemory[j] / s.capacity[j];
            if (zones.isActive() && zones.isZoneUsed(i, j)) {
                score -= ZONE;
            }
            if (noise > 0) {
                score += noise * random.nextDouble();
            }
            if (score > bestScore && s.mayHost(i, j)) {
                bestScore = score;
                best = j;
            }
        }
        if (best >= 0 && (zones.missingZones(i) == 0 || !zones.isZoneUsed(i, best))) {
            return best;
        }
        // A new zone is worth more than a set's limit.
        int apart = zones.missingZones(i) > 0 ? leastBroken(i, true) : -1;
        return apart >= 0 ? apart : best >= 0 ? best : leastBroken(i, false);
    }

    private int leastBroken(int i, boolean elsewhere) {
        int best = -1;
        double bestScore = Double.POSITIVE_INFINITY;
        for (int j = 0; j < s.servers; j++) {
            if (s.hasRoom(i, j) && !s.isOn(i, j) && !(elsewhere && zones.isZoneUsed(i, j))) {
                double score = s.sets.excess(i, j) + 1e-6 * s.serverLoad[j] / Math.max(s.high[j], Double.MIN_NORMAL);
                if (score < bestScore) {
                    bestScore = score;
                    best = j;
                }
            }
        }
        return best;
    }
}
