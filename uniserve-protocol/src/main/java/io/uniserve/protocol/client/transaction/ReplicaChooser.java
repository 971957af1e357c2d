package io.uniserve.protocol.client.transaction;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.protocol.client.routing.RoutingPolicy.Candidate;
import java.util.List;
import java.util.Map;

/**
 * Choice of one replica per actor by the client's routing policy, as for eventual tables. By default it is random in proportion to the read
 * weights that the coordinator planned. On a server that plans a query it prefers the local replica. Not thread-safe.
 */
final class ReplicaChooser {
    private final RoutingPolicy policy;
    private final long replicaSeed;
    private long random;

    ReplicaChooser(ClientContext env) {
        this.policy = env.state().policy();
        this.replicaSeed = env.state().replicaSeed();
        this.random = env.ids().next();
    }

    /** The replica of an actor for a query. It is always the same one if the query requires that and the client has a number. */
    ServerId choose(List<ServerId> open, ActorState actor, Query query) {
        return query.stableReplicas() && replicaSeed != 0
                ? RoutingPolicy.pickStable(candidates(open, actor.weights()), replicaSeed, actor.actor())
                : choose(open, actor.weights());
    }

    /**
     * One of these servers, by read weights; all are equal if none has a weight.
     *
     * @param open at least one server
     */
    ServerId choose(List<ServerId> open, Map<ServerId, Double> weights) {
        random = random * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
        List<Candidate> candidates = candidates(open, weights);
        return candidates.get(policy.pick(candidates, random)).server();
    }

    private static List<Candidate> candidates(List<ServerId> open, Map<ServerId, Double> weights) {
        List<Candidate> weighing = open.stream()
                .filter(server -> weights.getOrDefault(server, 0.0) > 0)
                .map(server -> new Candidate(server, weights.getOrDefault(server, 0.0), 0))
                .toList();
        return weighing.isEmpty()
                ? open.stream().map(server -> new Candidate(server, 1, 0)).toList()
                : weighing;
    }
}
