package io.uniserve.placement.policy.search;

import java.util.SplittableRandom;

/**
 * Large neighbourhood search: it removes a few related new replicas, lets evicted actors return if possible, places and repairs again with
 * some randomness, and keeps the result unless it is worse.
 */
final class LargeNeighbourhoodSearch {
    private final SearchState state;
    private final GreedyInsertion greedyInsertion;
    private final RepairHeuristic repairHeuristic;
    private final ReplicaPruner replicaPruner;
    private final SplittableRandom random;
    private final double contentionUnit;
    private final PlacementConflictResolver placementConflicts;
    private final ZoneSpreadRule zones;

    private int[] touched = new int[64];
    private int touchedCount;

    LargeNeighbourhoodSearch(
            SearchState s,
            GreedyInsertion greedyInsertion,
            RepairHeuristic repairHeuristic,
            ReplicaPruner replicaPruner,
            SplittableRandom random,
            ZoneSpreadRule zones) {
        this.zones = zones;
        this.state = s;
        this.greedyInsertion = greedyInsertion;
        this.repairHeuristic = repairHeuristic;
        this.replicaPruner = replicaPruner;
        this.random = random;
        placementConflicts = new PlacementConflictResolver(s);
        contentionUnit = Math.max(PlacementLowerBounds.contention(s.in), Double.MIN_NORMAL);
    }

    /**
     * Returns the cost; smaller is better. Order of importance: actors without hosts, zones, balance, contention, new replicas, replicas.
     */
    double cost() {
        double mean = Math.max(state.in.mean(), Double.MIN_NORMAL);
        return 1e12 * state.actorsWithoutHost
                + 1e10 * zones.actorsInTooFewZones()
                + 1e7 * state.imbalance() / mean
                + 1e5 * state.sets.contention() / contentionUnit
                + state.adds
                + 1e-3 * state.replicas;
    }

    /** Makes one attempt. Returns true if the placement improved. */
    boolean step() {
        double before = cost();
        int mark = state.savepoint();
        int addsBefore = state.adds;
        touchedCount = 0;
        int size = 1 + random.nextInt(random.nextInt(4) == 0 ? 10 : 4);
        if (random.nextInt(4) == 0) {
            restoreEvicted();
        }
        removeNewReplicas(size);
        double noise = random.nextInt(3) == 0 ? 0 : 0.5 * random.nextDouble();
        recreate(noise, addsBefore);
        double after = cost();
        if (after > before + 1e-6) {
            state.rollback(mark);
            return false;
        }
        return after < before - 1e-6;
    }

    private void recreate(double noise, int addsBefore) {
        for (int a = 1; a < touchedCount; a++) {
            for (int b = a;
                    b > 0 && greedyInsertion.urgency(touched[b - 1]) < greedyInsertion.urgency(touched[b]);
                    b--) {
                int t = touched[b];
                touched[b] = touched[b - 1];
                touched[b - 1] = t;
            }
        }
        for (int a = 0; a < touchedCount; a++) {
            greedyInsertion.place(touched[a], noise);
        }
        repairHeuristic.repair(Math.max(0, addsBefore - state.adds) + 1, noise);
        for (int a = 0; a < touchedCount; a++) {
            replicaPruner.trimNew(touched[a]);
        }
    }

    /** Removes up to {@code size} new replicas: a random one, then others on the same servers or of the same actors. */
    private void removeNewReplicas(int size) {
        int server = pickUnbalancedServer();
        for (int tries = 0; server < 0 || (tries < 8 && newOn(server) < 0); tries++) {
            server = random.nextInt(state.servers);
        }
        for (int n = 0; n < size; n++) {
            int actor = newOn(server);
            if (actor >= 0) {
                markTouched(actor);
                state.drop(actor, server);
            }
            int way = random.nextInt(3);
            if (way == 0 && actor >= 0 && state.hosts[actor] > 0) {
                server = state.host[actor][random.nextInt(state.hosts[actor])];
            } else if (way == 1) {
                server = random.nextInt(state.servers);
            }
        }
    }

    /** Returns often a server out of its tolerance, if there is one: with many servers random choice would rarely hit it. */
    private int pickUnbalancedServer() {
        int from = random.nextInt(state.servers);
        if (random.nextInt(2) == 0) {
            return -1;
        }
        for (int n = 0; n < state.servers; n++) {
            int j = (from + n) % state.servers;
            if (state.overload(j) > state.epsilon || state.underload(j) > state.epsilon) {
                int i = state.actorCountOn[j] == 0 ? -1 : state.actorsOn[j][random.nextInt(state.actorCountOn[j])];
                if (i >= 0 && newOn(j) < 0) {
                    markTouched(i);
                    state.drop(i, j);
                }
                return j;
            }
        }
        return -1;
    }

    /** Returns an evicted actor to its earlier server; replicas in its way are removed. */
    private void restoreEvicted() {
        for (int tries = 0; tries < 16; tries++) {
            int i = random.nextInt(state.actors);
            if (state.in.current().replicas(i) == 0) {
                continue;
            }
            int j = state.in
                    .current()
                    .server(i, random.nextInt(state.in.current().replicas(i)));
            if (state.isOn(i, j)) {
                continue;
            }
            removeConflicts(i, j);
            if (state.mayHost(i, j)) {
                markTouched(i);
                for (int p = state.hosts[i] - 1; p >= 0; p--) {
                    if (!state.isOnInitially(i, state.host[i][p])) {
                        state.drop(i, state.host[i][p]);
                    }
                }
                state.add(i, j);
            }
            return;
        }
    }

    private void removeConflicts(int i, int j) {
        for (int other : placementConflicts.remove(i, j)) {
            markTouched(other);
        }
    }

    private int newOn(int server) {
        int n = state.actorCountOn[server];
        int from = n == 0 ? 0 : random.nextInt(n);
        for (int q = 0; q < n; q++) {
            int i = state.actorsOn[server][(from + q) % n];
            if (!state.isOnInitially(i, server)) {
                return i;
            }
        }
        return -1;
    }

    private void markTouched(int actor) {
        for (int a = 0; a < touchedCount; a++) {
            if (touched[a] == actor) {
                return;
            }
        }
        if (touchedCount == touched.length) {
            touched = java.util.Arrays.copyOf(touched, 2 * touchedCount);
        }
        touched[touchedCount++] = actor;
    }
}
