package io.uniserve.placement.policy.search;

/** Pruner of replicas that the balance does not need. */
final class ReplicaPruner {
    private final SearchState state;
    private final AugmentingPathBalancer augmentingPathBalancer;
    private final GreedyInsertion greedyInsertion;
    private final int[] needed;
    private final ZoneSpreadRule zones;

    ReplicaPruner(
            SearchState s,
            AugmentingPathBalancer augmentingPathBalancer,
            GreedyInsertion greedyInsertion,
            int[] needed,
            ZoneSpreadRule zones) {
        this.zones = zones;
        this.state = s;
        this.augmentingPathBalancer = augmentingPathBalancer;
        this.greedyInsertion = greedyInsertion;
        this.needed = needed;
    }

    /** Tries to drop every new replica of the actor. Returns true if one was dropped. */
    boolean trimNew(int actor) {
        boolean any = false;
        for (int p = state.hosts[actor] - 1; p >= 0 && state.hosts[actor] > needed[actor]; p--) {
            int j = state.host[actor][p];
            any |= !state.isOnInitially(actor, j) && tryDrop(actor, j);
        }
        return any;
    }

    /** Drops unneeded new replicas, and old ones without load. */
    void trimAll() {
        for (int i = 0; i < state.actors; i++) {
            trimNew(i);
        }
    }

    /** Drops unneeded replicas without load. */
    void dropIdle() {
        for (int i = 0; i < state.actors; i++) {
            for (int p = state.hosts[i] - 1; p >= 0 && state.hosts[i] > needed[i]; p--) {
                if (state.loadOf[i][p] <= state.epsilon && state.load[i] > state.epsilon) {
                    tryDrop(i, state.host[i][p]);
                }
            }
        }
    }

    /** Drops the replica unless that unbalances a server. */
    boolean tryDrop(int actor, int server) {
        if (!zones.mayDrop(actor, server)) {
            return false;
        }
        int mark = state.savepoint();
        double before = state.imbalance();
        state.drop(actor, server);
        greedyInsertion.place(actor, 0);
        for (int p = 0; p < state.hosts[actor]; p++) {
            augmentingPathBalancer.push(state.host[actor][p]);
        }
        augmentingPathBalancer.pull(server);
        if (state.imbalance() > before + state.epsilon) {
            state.rollback(mark);
            return false;
        }
        return true;
    }
}
