package io.uniserve.protocol.tx;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.RoutingPolicy;
import io.uniserve.protocol.reader.RoutingPolicy.Candidate;
import java.util.List;
import java.util.Map;

/**
 * Has the client's routing policy pick one of several replicas, as reads of eventual tables do: by default at random, so that each
 * gets the share of reads that the coordinator planned; on a server that plans a query the one that is there. Not thread-safe.
 */
final class ReplicaChoice {
    private final RoutingPolicy policy;
    private final long copies;
    private long random;

    ReplicaChoice(ClientContext env) {
        this.policy = env.state().policy();
        this.copies = env.state().copies();
        this.random = env.ids().next();
    }

    /** The replica of an actor that a query asks: always the same one where it wants that and the client has a number. */
    ServerId draw(List<ServerId> open, ActorState actor, Query query) {
        return query.sameCopies() && copies != 0
                ? RoutingPolicy.same(candidates(open, actor.weights()), copies, actor.actor())
                : draw(open, actor.weights());
    }

    /**
     * One of these by their weights; where none has any, all have equal ones.
     *
     * @param open at least one
     */
    ServerId draw(List<ServerId> open, Map<ServerId, Double> weights) {
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
