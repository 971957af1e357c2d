package io.uniserve.placement.policy.search;

/** Pruner of replicas that the balance does not need. */
final class ReplicaPruner {
    private final SearchState s;
    private final AugmentingPathBalancer augmentingPathBalancer;
    private final GreedyInsertion greedyInsertion;
    private final int[] needed;
    private final ZoneRule zones;

    ReplicaPruner(
            SearchState s,
            AugmentingPathBalancer augmentingPathBalancer,
            GreedyInsertion greedyInsertion,
            int[] needed,
            ZoneRule zones) {
        this.zones = zones;
        this.s = s;
        this.augmentingPathBalancer = augmentingPathBalancer;
        this.greedyInsertion = greedyInsertion;
        this.needed = needed;
    }

    /** Tries to drop every new replica of the actor. Returns true if one was dropped. */
    boolean trimNew(int actor) {
        boolean any = false;
        for (int p = s.hosts[actor] - 1; p >= 0 && s.hosts[actor] > needed[actor]; p--) {
            int j = s.host[actor][p];
            any |= !s.isOnInitially(actor, j) && tryDrop(actor, j);
        }
        return any;
    }

    /** Drops unneeded new replicas, and old ones without load. */
    void trimAll() {
        for (int i = 0; i < s.actors; i++) {
            trimNew(i);
        }
    }

    /** Drops unneeded replicas without load. */
    void dropIdle() {
        for (int i = 0; i < s.actors; i++) {
            for (int p = s.hosts[i] - 1; p >= 0 && s.hosts[i] > needed[i]; p--) {
                if (s.loadOf[i][p] <= s.epsilon && s.load[i] > s.epsilon) {
                    tryDrop(i, s.host[i][p]);
                }
            }
        }
    }

    /** Drops the replica unless that unbalances a server. */
    boolean tryDrop(int actor, int server) {
        if (!zones.mayDrop(actor, server)) {
            return false;
        }
        int mark = s.savepoint();
        double before = s.imbalance();
        s.drop(actor, server);
        greedyInsertion.place(actor, 0);
        for (int p = 0; p < s.hosts[actor]; p++) {
            augmentingPathBalancer.push(s.host[actor][p]);
        }
        augmentingPathBalancer.pull(server);
        if (s.imbalance() > before + s.epsilon) {
            s.rollback(mark);
            return false;
        }
        return true;
    }
}
