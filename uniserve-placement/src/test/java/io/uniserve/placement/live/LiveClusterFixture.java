package io.uniserve.placement.live;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CoAccessedActors;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.SearchBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Running cluster of servers s0, s1 and so on with engine kv, for tests of planners. Replicas cost nothing without queries. */
final class LiveClusterFixture {
    static final double TOLERANCE = 0.2;

    final List<Server> servers = new ArrayList<>();
    final List<Actor> actors = new ArrayList<>();
    final List<CoAccessedActors> together = new ArrayList<>();

    void servers(int count, int zones) {
        for (int i = 0; i < count; i++) {
            servers.add(new Server(new ServerId("s" + i), "z" + i % zones, 1, Set.of("kv")));
        }
    }

    /** Adds an actor whose first host is the primary. */
    ReplicaKey actor(double queries, int least, int automatic, String... hosts) {
        return actor(state(queries, least, automatic, Map.of(), true, 0), hosts);
    }

    ReplicaKey actor(CopyState copies, String... hosts) {
        List<ServerId> ids = List.of(hosts).stream().map(ServerId::new).toList();
        ReplicaKey key = new ReplicaKey(1, actors.size());
        actors.add(new Actor(key, "kv", ids, ids.get(0), copies.queryLoad() / ids.size(), 0, 0, true, copies));
        return key;
    }

    static CopyState state(
            double queries, int least, int automatic, Map<ServerId, Double> weights, boolean permitted, long bytes) {
        return new CopyState(queries, queries, weights, least, automatic, bytes, 0, permitted, true, true);
    }

    LiveCluster cluster() {
        return new LiveCluster(servers, actors, together);
    }

    /** Replaces the cluster by its next state. */
    void become(LiveCluster next) {
        actors.clear();
        actors.addAll(next.actors());
    }

    static LivePlanner planner(BalancePolicy policy) {
        return planner(policy, 0, ReplicationLimits.defaults());
    }

    static LivePlanner planner(BalancePolicy policy, long hangMs, ReplicationLimits limits) {
        return new LivePlanner(
                policy,
                TOLERANCE,
                limits,
                1_000,
                ConstraintCatalog.standard(),
                hangMs,
                () -> SearchBudget.unlimited(1),
                LiveNames.ids());
    }
}
