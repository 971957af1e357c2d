package io.uniserve.placement.timeorder;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.timeorder.ServerSelector.Chunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Policy for time-ordered tables, which append actors. Replicas do not move. An actor with missing replicas gets them on servers chosen by
 * the selector, in the order of the actors' numbers, which is that of time. An actor's load is its predicted load.
 */
public final class ArrivalPolicy implements BalancePolicy {
    private final ServerSelector serverSelector;

    /** Creates the policy with this selector. */
    public ArrivalPolicy(ServerSelector serverSelector) {
        this.serverSelector = serverSelector;
    }

    @Override
    public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
        List<List<Chunk>> held = new ArrayList<>();
        double[] used = new double[in.servers()];
        for (int j = 0; j < in.servers(); j++) {
            held.add(new ArrayList<>());
        }
        int[][] hosts = new int[in.actors()][];
        double[][] shares = new double[in.actors()][];
        for (int i = 0; i < hosts.length; i++) {
            hosts[i] = in.current().hosts(i);
            for (int j : hosts[i]) {
                held.get(j).add(chunk(in, i, hosts[i].length));
                used[j] += in.memory(i);
            }
        }
        for (int i = 0; i < hosts.length; i++) {
            if (hosts[i].length < in.rf()) {
                hosts[i] = complete(in, i, hosts[i], held, used);
            }
            shares[i] = sharesOf(in, i, hosts[i]);
        }
        return PlacementProposal.of(Assignment.of(hosts, shares));
    }

    private int[] complete(ClusterLoad in, int actor, int[] has, List<List<Chunk>> held, double[] used) {
        List<Integer> on = new ArrayList<>();
        Arrays.stream(has).forEach(on::add);
        Chunk chunk = chunk(in, actor, in.rf());
        while (on.size() < in.rf()) {
            List<Integer> free = new ArrayList<>();
            for (int j = 0; j < in.servers(); j++) {
                if (!on.contains(j) && used[j] + in.memory(actor) <= in.capacity(j) * (1 + 1e-12)) {
                    free.add(j);
                }
            }
            if (free.isEmpty()) {
                break;
            }
            int server = free.get(
                    serverSelector.choose(chunk, free.stream().map(held::get).toList()));
            on.add(server);
            held.get(server).add(chunk);
            used[server] += in.memory(actor);
        }
        return on.stream().mapToInt(j -> j).toArray();
    }

    private static Chunk chunk(ClusterLoad in, int actor, int replicas) {
        return new Chunk(0, actor, in.load(actor) / Math.max(1, replicas));
    }

    private static double[] sharesOf(ClusterLoad in, int actor, int[] hosts) {
        double[] shares = new double[hosts.length];
        boolean asBefore = hosts.length == in.current().replicas(actor);
        for (int p = 0; p < shares.length; p++) {
            shares[p] = asBefore ? in.current().share(actor, p) : 1.0 / shares.length;
        }
        return shares;
    }
}
