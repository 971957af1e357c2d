package io.uniserve.placement.live;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CoAccessedActors;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.model.ShardSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * Adapter from a running cluster to a policy's input. Each replica becomes an actor with one copy, because a policy must not change the
 * number of replicas, which differs per table. A shard set is divided into the set of the first replicas of its actors, the set of their
 * second replicas, and so on, each with a part of the load. Memory is unlimited.
 */
final class LiveClusterAdapter {
    private final LiveCluster cluster;
    private final TreeMap<ServerId, Integer> numbers = new TreeMap<>();
    private final List<Unit> units = new ArrayList<>();
    private final TreeMap<ReplicaKey, List<Integer>> ofActor = new TreeMap<>();

    /** One replica on a server that takes part. */
    record Unit(Actor actor, ServerId host, int server) {
        double load() {
            return actor.loadOn(host);
        }
    }

    LiveClusterAdapter(LiveCluster cluster) {
        this.cluster = cluster;
        for (Server server : cluster.servers()) {
            numbers.put(server.id(), numbers.size());
        }
        for (Actor actor : cluster.actors()) {
            for (ServerId host : actor.hosts()) {
                Integer server = numbers.get(host);
                if (server != null) {
                    ofActor.computeIfAbsent(actor.key(), unused -> new ArrayList<>())
                            .add(units.size());
                    units.add(new Unit(actor, host, server));
                }
            }
        }
    }

    List<Unit> units() {
        return units;
    }

    /** Returns the problem for a policy. */
    ClusterLoad load(double tolerance) {
        double[] capacity = new double[cluster.servers().size()];
        Arrays.fill(capacity, units.size());
        return new ClusterLoadBuilder(units.stream().mapToDouble(Unit::load).toArray(), capacity)
                .weights(cluster.servers().stream().mapToDouble(Server::weight).toArray())
                .sets(sets())
                .current(Assignment.single(units.stream().mapToInt(Unit::server).toArray()))
                .eps(tolerance)
                .build();
    }

    private List<ShardSet> sets() {
        List<ShardSet> sets = new ArrayList<>();
        for (CoAccessedActors together : cluster.coAccessedActors()) {
            List<List<Integer>> replicas = together.actors().stream()
                    .map(key -> ofActor.getOrDefault(key, List.of()))
                    .filter(list -> !list.isEmpty())
                    .distinct()
                    .toList();
            int copies = replicas.stream().mapToInt(List::size).max().orElse(0);
            for (int copy = 0; copy < copies; copy++) {
                int which = copy;
                int[] actors = replicas.stream()
                        .mapToInt(list -> list.get(Math.min(which, list.size() - 1)))
                        .toArray();
                sets.add(new ShardSet(together.perSecond() / copies, actors));
            }
        }
        return sets;
    }
}
