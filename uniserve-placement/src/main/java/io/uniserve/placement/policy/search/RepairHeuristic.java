package io.uniserve.placement.policy.search;

import java.util.SplittableRandom;

/**
 * Heuristic that brings servers into their tolerance by new replicas. It repeatedly adds the replica that helps most to the server that is
 * farthest out. A replica that relieves an overloaded server and feeds an underloaded one counts twice.
 *
 * <p>If no replica is allowed, one is forced: conflicting replicas leave the server and are placed elsewhere.
 */
final class RepairHeuristic {
    private final SearchState state;
    private final AugmentingPathBalancer augmentingPathBalancer;
    private final GreedyInsertion greedyInsertion;
    private final ConnectedComponents groups;
    private final PlacementConflictResolver placementConflicts;
    private final SplittableRandom random;
    private final int[] byLoad;
    private final int[] skipped;
    private int round;

    private int bestActor;
    private int bestServer;
    private double bestGain;
    private boolean forcing;

    RepairHeuristic(
            SearchState s,
            AugmentingPathBalancer augmentingPathBalancer,
            GreedyInsertion greedyInsertion,
            SplittableRandom random) {
        this.state = s;
        this.augmentingPathBalancer = augmentingPathBalancer;
        this.greedyInsertion = greedyInsertion;
        this.random = random;
        groups = new ConnectedComponents(s);
        placementConflicts = new PlacementConflictResolver(s);
        byLoad = IndexSorter.descending(s.load);
        skipped = new int[s.servers];
    }

    /**
     * Adds replicas until all servers are balanced or none helps.
     *
     * @param most maximum new replicas
     * @param noise weight of chance, relative to the gain
     */
    void repair(int most, double noise) {
        round++;
        augmentingPathBalancer.balanceAll();
        int limit = (int) Math.min(Integer.MAX_VALUE, (long) state.adds + most);
        boolean fresh = false;
        while (state.adds < limit) {
            int j = worst();
            if (j < 0) {
                break;
            }
            if (!fresh) {
                groups.update();
                fresh = true;
            }
            double out = Math.max(state.overload(j), state.underload(j));
            if (!improve(j, noise, false, 16 * state.epsilon)) {
                fresh = !improve(j, noise, true, 0.25 * out);
                skipped[j] = fresh ? round : skipped[j];
            }
        }
    }

    private boolean improve(int j, double noise, boolean force, double least) {
        forcing = force;
        bestGain = least;
        bestActor = -1;
        if (state.underload(j) > state.epsilon) {
            addLoad(j, noise);
        } else {
            removeLoad(j, noise);
        }
        if (bestActor < 0) {
            return false;
        }
        if (force) {
            return placementConflicts.forcePlacement(
                    bestActor, bestServer, greedyInsertion, () -> settle(j, bestActor));
        }
        state.add(bestActor, bestServer);
        groups.join(bestActor);
        settle(j, bestActor);
        return true;
    }

    private void settle(int j, int actor) {
        augmentingPathBalancer.balance(j);
        for (int p = 0; p < state.hosts[actor]; p++) {
            augmentingPathBalancer.balance(state.host[actor][p]);
        }
    }

    private int worst() {
        int worst = -1;
        double most = state.epsilon;
        for (int j = 0; j < state.servers; j++) {
            double out = Math.max(state.serverLoad[j] - state.high[j], state.low[j] - state.serverLoad[j]);
            if (out > most && skipped[j] != round) {
                most = out;
                worst = j;
            }
        }
        return worst;
    }

    /** Finds the replica for the underloaded server with the largest gain; an actor's gain is at most twice its load. */
    private void addLoad(int j, double noise) {
        double need = state.underload(j);
        double room = state.high[j] - state.serverLoad[j];
        double most = need + Math.min(room, excess());
        for (int i : byLoad) {
            if (2 * state.load[i] <= bestGain || (noise <= 0 && bestGain >= most * (1 - 1e-12))) {
                return;
            }
            double gain = 0;
            double come = 0;
            for (int p = 0; p < state.hosts[i]; p++) {
                int a = state.host[i][p];
                double give = Math.min(Math.min(state.loadOf[i][p], groups.canGive(a)), room - come);
                if (give > 0) {
                    come += give;
                    gain += Math.min(give, state.overload(a));
                }
            }
            consider(i, j, gain + Math.min(come, need), noise);
        }
    }

    /** Returns the load above the tolerances, over all servers. */
    private double excess() {
        double sum = 0;
        for (int j = 0; j < state.servers; j++) {
            sum += state.overload(j);
        }
        return sum;
    }

    private void removeLoad(int j, double noise) {
        double excess = state.overload(j);
        for (int q = 0; q < state.actorCountOn[j]; q++) {
            int i = state.actorsOn[j][q];
            double most = state.loadOf[i][state.position(i, j)];
            if (2 * most <= bestGain) {
                continue;
            }
            for (int b = 0; b < state.servers; b++) {
                double go = Math.min(most, groups.canTake(b));
                double gain = Math.min(go, excess)
                        + Math.min(go, state.low[b] - state.serverLoad[b] > 0 ? state.underload(b) : 0);
                consider(i, b, gain, noise);
            }
        }
    }

    private void consider(int i, int j, double gain, double noise) {
        if (gain <= bestGain) {
            return;
        }
        double weighed = noise > 0 ? gain * (1 - noise * random.nextDouble()) : gain;
        if (forcing && !state.isOn(i, j)) {
            weighed /= 1 + placementConflicts.count(i, j);
        }
        if (weighed > bestGain && (forcing ? !state.isOn(i, j) : state.mayHost(i, j))) {
            bestGain = weighed;
            bestActor = i;
            bestServer = j;
        }
    }
}
