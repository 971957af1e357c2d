package io.uniserve.placement.policy.search;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.Arrays;

/**
 * Placement under construction. All dependent values are updated incrementally, and every change is in a journal for undo. Loads are flows:
 * {@code flow} is the part of an actor's load on one of its hosts.
 */
final class SearchState {
    final ClusterLoad in;
    final int actors;
    final int servers;
    final double[] load;
    final double[] low;
    final double[] high;
    final double[] capacity;
    final double[] memory;
    final int[][] host;
    final double[][] loadOf;
    final int[] hosts;
    final int[][] actorsOn;
    final int[] actorCountOn;
    final double[] serverLoad;
    final double[] usedMemory;
    final ShardSetCounts sets;
    final UndoLog journal = new UndoLog();

    /** Smaller loads count as zero. */
    final double epsilon;

    private double imbalanceSum;
    private int unbalancedServers;

    int replicas;
    int adds;

    /** Number of actors without a host. */
    int actorsWithoutHost;

    /** Off while a change is only tried: the counts of sets are the largest cost, and most changes are undone. */
    boolean counting = true;

    SearchState(ClusterLoad in) {
        this.in = in;
        actors = in.actors();
        servers = in.servers();
        load = new double[actors];
        memory = new double[actors];
        host = new int[actors][4];
        loadOf = new double[actors][4];
        hosts = new int[actors];
        actorsOn = new int[servers][16];
        actorCountOn = new int[servers];
        serverLoad = new double[servers];
        usedMemory = new double[servers];
        low = new double[servers];
        high = new double[servers];
        capacity = new double[servers];
        Arrays.setAll(load, in::load);
        Arrays.setAll(memory, in::memory);
        // Slightly inside the tolerance, so that rounding of the result does not leave it.
        double hair = Math.min(1e-7, 0.1 * in.eps());
        Arrays.setAll(low, j -> in.loadMin(j) * (1 + hair));
        Arrays.setAll(high, j -> in.loadMax(j) * (1 - hair));
        Arrays.setAll(capacity, j -> in.capacity(j) * (1 + 1e-12));
        epsilon = Math.max(Double.MIN_NORMAL, in.mean() * 1e-9);
        sets = new ShardSetCounts(in);
        actorsWithoutHost = actors;
        sumUp();
    }

    /** Returns the position of the server among the actor's hosts, or -1. */
    int position(int actor, int server) {
        int[] h = host[actor];
        for (int p = hosts[actor] - 1; p >= 0; p--) {
            if (h[p] == server) {
                return p;
            }
        }
        return -1;
    }

    boolean isOn(int actor, int server) {
        return position(actor, server) >= 0;
    }

    boolean isOnInitially(int actor, int server) {
        return in.current().isOn(actor, server);
    }

    boolean hasRoom(int actor, int server) {
        return usedMemory[server] + memory[actor] <= capacity[server];
    }

    /** True if the server has memory for the actor, does not host it, and its shard sets stay within their limits. */
    boolean mayHost(int actor, int server) {
        return hasRoom(actor, server) && !isOn(actor, server) && sets.fits(actor, server);
    }

    double overload(int server) {
        return Math.max(0, serverLoad[server] - high[server]);
    }

    double underload(int server) {
        return Math.max(0, low[server] - serverLoad[server]);
    }

    /** Returns the load outside the tolerances, over all servers. */
    double imbalance() {
        return unbalancedServers == 0 ? 0 : imbalanceSum;
    }

    private double imbalanceOf(int server) {
        double v = Math.max(serverLoad[server] - high[server], low[server] - serverLoad[server]);
        return v > epsilon ? v : 0;
    }

    double unplaced(int actor) {
        double rest = load[actor];
        for (int p = 0; p < hosts[actor]; p++) {
            rest -= loadOf[actor][p];
        }
        return rest;
    }

    void add(int actor, int server) {
        link(actor, server);
        journal.push(UndoLog.ADDED, actor, server, 0);
    }

    /** Removes the replica; its load becomes unplaced. */
    void drop(int actor, int server) {
        setFlow(actor, server, 0);
        unlink(actor, server);
        journal.push(UndoLog.DROPPED, actor, server, 0);
    }

    void setFlow(int actor, int server, double value) {
        int p = position(actor, server);
        double before = loadOf[actor][p];
        if (before != value) {
            journal.push(UndoLog.FLOW, actor, server, before);
            put(actor, p, value);
        }
    }

    void addFlow(int actor, int server, double delta) {
        int p = position(actor, server);
        journal.push(UndoLog.FLOW, actor, server, loadOf[actor][p]);
        put(actor, p, Math.max(0, loadOf[actor][p] + delta));
    }

    void setLimit(int set, int value) {
        journal.push(UndoLog.LIMIT, set, 0, sets.limit[set]);
        sets.limit[set] = value;
    }

    private void put(int actor, int p, double value) {
        int server = host[actor][p];
        double before = imbalanceOf(server);
        serverLoad[server] += value - loadOf[actor][p];
        loadOf[actor][p] = value;
        double after = imbalanceOf(server);
        unbalancedServers += (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
        // Rounding errors do not accumulate: the sum restarts when all servers are within their tolerance.
        imbalanceSum = unbalancedServers == 0 ? 0 : imbalanceSum + after - before;
    }

    private void link(int actor, int server) {
        int n = hosts[actor]++;
        actorsWithoutHost -= n == 0 ? 1 : 0;
        if (n == host[actor].length) {
            host[actor] = Arrays.copyOf(host[actor], 2 * n);
            loadOf[actor] = Arrays.copyOf(loadOf[actor], 2 * n);
        }
        host[actor][n] = server;
        loadOf[actor][n] = 0;
        int m = actorCountOn[server]++;
        if (m == actorsOn[server].length) {
            actorsOn[server] = Arrays.copyOf(actorsOn[server], 2 * m);
        }
        actorsOn[server][m] = actor;
        usedMemory[server] += memory[actor];
        replicas++;
        adds += isOnInitially(actor, server) ? 0 : 1;
        if (counting) {
            sets.add(actor, server);
        }
    }

    private void unlink(int actor, int server) {
        int p = position(actor, server);
        int last = --hosts[actor];
        actorsWithoutHost += last == 0 ? 1 : 0;
        host[actor][p] = host[actor][last];
        loadOf[actor][p] = loadOf[actor][last];
        int[] row = actorsOn[server];
        int q = 0;
        while (row[q] != actor) {
            q++;
        }
        row[q] = row[--actorCountOn[server]];
        usedMemory[server] -= memory[actor];
        replicas--;
        adds -= isOnInitially(actor, server) ? 0 : 1;
        if (counting) {
            sets.drop(actor, server);
        }
    }

    /** Returns a point for a later undo. */
    int savepoint() {
        return journal.size();
    }

    void rollback(int mark) {
        while (journal.size() > mark) {
            journal.pop();
            int actor = journal.actor();
            int server = journal.server();
            switch (journal.kind()) {
                case UndoLog.ADDED -> unlink(actor, server);
                case UndoLog.DROPPED -> link(actor, server);
                case UndoLog.FLOW -> put(actor, position(actor, server), journal.value());
                default -> sets.limit[actor] = (int) journal.value();
            }
        }
    }

    /** Loads a placement into an empty state. */
    void load(Assignment placed) {
        for (int i = 0; i < actors; i++) {
            for (int p = 0; p < placed.replicas(i); p++) {
                add(i, placed.server(i, p));
                setFlow(i, placed.server(i, p), load[i] * placed.share(i, p));
            }
        }
        commit();
    }

    /** Makes all changes permanent, and sums up the loads again. */
    void commit() {
        journal.clear();
        Arrays.fill(serverLoad, 0);
        for (int i = 0; i < actors; i++) {
            for (int p = 0; p < hosts[i]; p++) {
                serverLoad[host[i][p]] += loadOf[i][p];
            }
        }
        sumUp();
    }

    private void sumUp() {
        imbalanceSum = 0;
        unbalancedServers = 0;
        for (int j = 0; j < servers; j++) {
            double v = imbalanceOf(j);
            imbalanceSum += v;
            unbalancedServers += v > 0 ? 1 : 0;
        }
    }

    Assignment toAssignment() {
        int[][] where = new int[actors][];
        double[][] shares = new double[actors][];
        for (int i = 0; i < actors; i++) {
            where[i] = Arrays.copyOf(host[i], hosts[i]);
            shares[i] = FlowShareConverter.fromLoads(loadOf[i], hosts[i]);
        }
        return Assignment.of(where, shares);
    }
}
