package io.uniserve.placement.policy.basic;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntToDoubleFunction;

/** Builder of placements for simple policies: hosts of each actor, used memory, load with equal shares. */
public final class PlacementBuilder {
    private final ClusterLoad in;
    private final TreeSet<Integer>[] hosts;
    private final double[] used;
    private final double[] load;

    /** Starts from the current placement. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public PlacementBuilder(ClusterLoad in) {
        this.in = in;
        hosts = new TreeSet[in.actors()];
        used = new double[in.servers()];
        load = new double[in.servers()];
        for (int i = 0; i < hosts.length; i++) {
            hosts[i] = new TreeSet<>();
            for (int server : in.current().hosts(i)) {
                add(i, server);
            }
        }
    }

    public int replicas(int actor) {
        return hosts[actor].size();
    }

    public Set<Integer> hosts(int actor) {
        return hosts[actor];
    }

    /** Used part of the server's memory. */
    public double memoryFraction(int server) {
        return used[server] / Math.max(in.capacity(server), Double.MIN_NORMAL);
    }

    /** Load of the server relative to its strength. */
    public double relativeLoad(int server) {
        return load[server] / in.weight(server);
    }

    public boolean fits(int actor, int server) {
        return !hosts[actor].contains(server) && used[server] + in.memory(actor) <= in.capacity(server) * (1 + 1e-12);
    }

    /** Adds a replica; the actor's load is divided equally again. */
    public void add(int actor, int server) {
        addLoad(actor, -1);
        hosts[actor].add(server);
        used[server] += in.memory(actor);
        addLoad(actor, 1);
    }

    /** Removes a replica. */
    public void drop(int actor, int server) {
        addLoad(actor, -1);
        hosts[actor].remove(server);
        used[server] -= in.memory(actor);
        addLoad(actor, 1);
    }

    /** Returns the server with the highest score on which the actor fits, in a new zone if possible; -1 for none. */
    public int bestServer(int actor, IntToDoubleFunction score) {
        int best = -1;
        double most = Double.NEGATIVE_INFINITY;
        boolean apart = false;
        for (int j = 0; j < in.servers(); j++) {
            if (fits(actor, j)) {
                double value = score.applyAsDouble(j);
                boolean own = zoneIsNew(actor, j);
                if ((own && !apart) || (own == apart && value > most)) {
                    best = j;
                    most = value;
                    apart = own;
                }
            }
        }
        return best;
    }

    /** Returns the placement, with equal shares of each actor's queries. */
    public Assignment buildEven() {
        int[][] servers = new int[hosts.length][];
        double[][] shares = new double[hosts.length][];
        for (int i = 0; i < hosts.length; i++) {
            servers[i] = hosts[i].stream().mapToInt(j -> j).toArray();
            shares[i] = new double[servers[i].length];
            Arrays.fill(shares[i], 1.0 / Math.max(1, servers[i].length));
        }
        return Assignment.of(servers, shares);
    }

    private boolean zoneIsNew(int actor, int server) {
        return hosts[actor].stream().noneMatch(j -> in.zone(j) == in.zone(server));
    }

    private void addLoad(int actor, int sign) {
        for (int j : hosts[actor]) {
            load[j] += sign * in.load(actor) / hosts[actor].size();
        }
    }
}
