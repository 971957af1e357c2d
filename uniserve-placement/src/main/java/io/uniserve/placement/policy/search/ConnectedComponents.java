package io.uniserve.placement.policy.search;

/** Groups of servers that share replicas, directly or through others: within a group load can move without a new replica. */
final class ConnectedComponents {
    private final SearchState state;
    private final int[] parent;
    private final double[] spareLoad;
    private final double[] freeLoad;

    ConnectedComponents(SearchState s) {
        this.state = s;
        parent = new int[s.servers];
        spareLoad = new double[s.servers];
        freeLoad = new double[s.servers];
    }

    /** Recomputes the groups from the state. */
    void update() {
        for (int j = 0; j < state.servers; j++) {
            parent[j] = j;
            spareLoad[j] = 0;
            freeLoad[j] = 0;
        }
        for (int i = 0; i < state.actors; i++) {
            for (int p = 1; p < state.hosts[i]; p++) {
                union(state.host[i][0], state.host[i][p]);
            }
        }
        for (int j = 0; j < state.servers; j++) {
            int root = find(j);
            spareLoad[root] += state.serverLoad[j] - state.low[j];
            freeLoad[root] += state.high[j] - state.serverLoad[j];
        }
    }

    /** Adds a new replica of the actor. Moves of load within a group do not change its totals. */
    void join(int actor) {
        for (int p = 1; p < state.hosts[actor]; p++) {
            int x = find(state.host[actor][0]);
            int y = find(state.host[actor][p]);
            if (x != y) {
                int root = Math.min(x, y);
                int other = Math.max(x, y);
                parent[other] = root;
                spareLoad[root] += spareLoad[other];
                freeLoad[root] += freeLoad[other];
            }
        }
    }

    /** Returns the load that can leave a server: the amount above the minimum of the server or its group. */
    double canGive(int j) {
        return Math.max(state.serverLoad[j] - state.low[j], spareLoad[find(j)]);
    }

    /** Returns the load that a server can get: the room of the server or its group. */
    double canTake(int j) {
        return Math.max(state.high[j] - state.serverLoad[j], freeLoad[find(j)]);
    }

    private void union(int a, int b) {
        int x = find(a);
        int y = find(b);
        parent[Math.max(x, y)] = Math.min(x, y);
    }

    private int find(int j) {
        int root = j;
        while (parent[root] != root) {
            root = parent[root];
        }
        int at = j;
        while (parent[at] != root) {
            int next = parent[at];
            parent[at] = root;
            at = next;
        }
        return root;
    }
}
