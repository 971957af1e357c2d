package io.uniserve.balance.policy.search;

/** Servers that share replicas, directly or through others: within such a group load can move without a new replica. */
final class Components {
    private final SearchState s;
    private final int[] parent;
    private final double[] spare;
    private final double[] room;

    /** Load that could leave a server: what it, or its group, has above its least. */
    final double[] canGive;

    /** Load that could come to a server: what it, or its group, could still take. */
    final double[] canTake;

    Components(SearchState s) {
        this.s = s;
        parent = new int[s.servers];
        spare = new double[s.servers];
        room = new double[s.servers];
        canGive = new double[s.servers];
        canTake = new double[s.servers];
    }

    /** Looks at the state anew. */
    void update() {
        for (int j = 0; j < s.servers; j++) {
            parent[j] = j;
            spare[j] = 0;
            room[j] = 0;
        }
        for (int i = 0; i < s.actors; i++) {
            for (int p = 1; p < s.hosts[i]; p++) {
                union(s.host[i][0], s.host[i][p]);
            }
        }
        for (int j = 0; j < s.servers; j++) {
            int root = find(j);
            spare[root] += s.serverLoad[j] - s.low[j];
            room[root] += s.high[j] - s.serverLoad[j];
        }
        for (int j = 0; j < s.servers; j++) {
            int root = parent[j];
            canGive[j] = Math.max(s.serverLoad[j] - s.low[j], spare[root]);
            canTake[j] = Math.max(s.high[j] - s.serverLoad[j], room[root]);
        }
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
