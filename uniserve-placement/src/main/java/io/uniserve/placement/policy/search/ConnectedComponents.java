package io.uniserve.placement.policy.search;

/** Groups of servers that share replicas, directly or through others: within a group load can move without a new replica. */
final class ConnectedComponents {
    private final SearchState s;
    private final int[] parent;
    private final double[] spare;
    private final double[] freeLoad;

    ConnectedComponents(SearchState s) {
        this.s = s;
        parent = new int[s.servers];
        spare = new double[s.servers];
        freeLoad = new double[s.servers];
    }

    /** Recomputes the groups from the state. */
    void update() {
        for (int j = 0; j < s.servers; j++) {
            parent[j] = j;
            spare[j] = 0;
            freeLoad[j] = 0;
        }
        for (int i = 0; i < s.actors; i++) {
            for (int p = 1; p < s.hosts[i]; p++) {
                union(s.host[i][0], s.host[i][p]);
            }
        }
        for (int j = 0; j < s.servers; j++) {
            int root = find(j);
            spare[root] += s.serverLoad[j] - s.low[j];
            freeLoad[root] += s.high[j] - s.serverLoad[j];
        }
    }

    /** Adds a new replica of the actor. Moves of load within a group do not change its totals. */
    void join(int actor) {
        for (int p = 1; p < s.hosts[actor]; p++) {
            int x = find(s.host[actor][0]);
            int y = find(s.host[actor][p]);
            if (x != y) {
                int root = Math.min(x, y);
                int other = Math.max(x, y);
                parent[other] = root;
                spare[root] += spare[other];
                freeLoad[root] += freeLoad[other];
            }
        }
    }

    /** Returns the load that can leave a server: the amount above the minimum of the server or its group. */
    double canGive(int j) {
        return Math.max(s.serverLoad[j] - s.low[j], spare[find(j)]);
    }

    /** Returns the load that a server can get: the room of the server or its group. */
    double canTake(int j) {
        return Math.max(s.high[j] - s.serverLoad[j], freeLoad[find(j)]);
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
