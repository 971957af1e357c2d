package io.uniserve.placement.policy.search;

import java.util.Arrays;

/**
 * Balancer that moves load along shared replicas until servers are within their tolerance, or as close as the hosts allow.
 *
 * <p>Servers are nodes; an actor on a and on b with load on a is an edge from a to b. An overloaded server pushes along a shortest path to
 * one with room; an underloaded one pulls from one with spare load. Augmenting paths never make another server worse. So when neither finds
 * a path, the remaining imbalance is the minimum for these hosts.
 */
final class AugmentingPathBalancer {
    private final SearchState state;
    private final int[] queue;
    private final int[] visited;
    private final int[] viaActor;
    private final int[] viaServer;
    private int stamp;

    AugmentingPathBalancer(SearchState s) {
        this.state = s;
        queue = new int[s.servers];
        visited = new int[s.servers];
        viaActor = new int[s.servers];
        viaServer = new int[s.servers];
    }

    /** Balances all servers as far as possible. */
    void balanceAll() {
        for (int j = 0; j < state.servers; j++) {
            push(j);
        }
        for (int j = 0; j < state.servers; j++) {
            pull(j);
        }
    }

    /** Balances one server as far as possible, without making others worse. */
    void balance(int server) {
        push(server);
        pull(server);
    }

    /** Pushes the excess of an overloaded server away. Returns true if none is left. */
    boolean push(int from) {
        while (state.overload(from) > state.epsilon) {
            int to = search(from, true);
            if (to < 0) {
                return false;
            }
            double room = Math.min(state.overload(from), state.high[to] - state.serverLoad[to]);
            shift(from, to, room, true);
        }
        return true;
    }

    /** Pulls missing load to an underloaded server. Returns true if none is missing. */
    boolean pull(int to) {
        while (state.underload(to) > state.epsilon) {
            int from = search(to, false);
            if (from < 0) {
                return false;
            }
            double spare = Math.min(state.underload(to), state.serverLoad[from] - state.low[from]);
            shift(to, from, spare, false);
        }
        return true;
    }

    /** Breadth-first search from the server; forward along edges that can give load, otherwise against them. */
    private int search(int start, boolean forward) {
        stamp++;
        int head = 0;
        int tail = 0;
        queue[tail++] = start;
        visited[start] = stamp;
        while (head < tail) {
            int a = queue[head++];
            int[] row = state.actorsOn[a];
            for (int q = state.actorCountOn[a] - 1; q >= 0; q--) {
                int i = row[q];
                int n = state.hosts[i];
                if (n < 2 || (forward && state.loadOf[i][state.position(i, a)] <= state.epsilon)) {
                    continue;
                }
                for (int p = 0; p < n; p++) {
                    int b = state.host[i][p];
                    if (visited[b] == stamp || (!forward && state.loadOf[i][p] <= state.epsilon)) {
                        continue;
                    }
                    visited[b] = stamp;
                    viaActor[b] = i;
                    viaServer[b] = a;
                    boolean end = forward
                            ? state.serverLoad[b] < state.high[b] - state.epsilon
                            : state.serverLoad[b] > state.low[b] + state.epsilon;
                    if (end) {
                        return b;
                    }
                    queue[tail++] = b;
                }
            }
        }
        return -1;
    }

    private void shift(int start, int end, double most, boolean forward) {
        double amount = most;
        for (int b = end; b != start; b = viaServer[b]) {
            int giver = forward ? viaServer[b] : b;
            amount = Math.min(amount, state.loadOf[viaActor[b]][state.position(viaActor[b], giver)]);
        }
        for (int b = end; b != start; b = viaServer[b]) {
            int giver = forward ? viaServer[b] : b;
            int taker = forward ? b : viaServer[b];
            state.addFlow(viaActor[b], giver, -amount);
            state.addFlow(viaActor[b], taker, amount);
        }
    }

    /** Returns the servers whose load can flow to this one along shared replicas, including itself; valid until the next search. */
    int[] reachableServers(int start) {
        stamp++;
        int head = 0;
        int tail = 0;
        queue[tail++] = start;
        visited[start] = stamp;
        while (head < tail) {
            int a = queue[head++];
            for (int q = state.actorCountOn[a] - 1; q >= 0; q--) {
                int i = state.actorsOn[a][q];
                for (int p = 0; p < state.hosts[i] && state.hosts[i] > 1; p++) {
                    int b = state.host[i][p];
                    if (visited[b] != stamp && state.loadOf[i][p] > state.epsilon) {
                        visited[b] = stamp;
                        queue[tail++] = b;
                    }
                }
            }
        }
        return Arrays.copyOf(queue, tail);
    }
}
