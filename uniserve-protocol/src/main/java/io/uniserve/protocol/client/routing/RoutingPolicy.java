package io.uniserve.protocol.client.routing;

import io.uniserve.model.ServerId;
import java.util.List;

/** Policy that chooses one of several replicas. A pure function, without clock, I/O and state. The static factories are all policies. */
@FunctionalInterface
public interface RoutingPolicy {
    /**
     * Picks a candidate.
     *
     * @param candidates at least one, each with a weight greater than 0
     * @param random 64 random bits
     * @return position of the choice
     */
    int pick(List<Candidate> candidates, long random);

    /**
     * A replica that may answer.
     *
     * @param weight its share of the actor's queries, lowered during slow start; greater than 0, the sum need not be 1
     * @param outstanding number of this client's requests to the server without a reply
     */
    record Candidate(ServerId server, double weight, int outstanding) {}

    /** In proportion to the weights, so that servers get the load that the coordinator planned. The default. */
    static RoutingPolicy weighted() {
        return WeightedRandomChooser::pick;
    }

    /**
     * Draws two by weight and takes the one with fewer outstanding requests. It follows the weights roughly and avoids a server that is
     * temporarily slow.
     */
    static RoutingPolicy leastOutstandingOfTwo() {
        return (candidates, random) -> {
            int first = WeightedRandomChooser.pick(candidates, random);
            int second = WeightedRandomChooser.pick(candidates, WeightedRandomChooser.mix(random));
            return candidates.get(second).outstanding() < candidates.get(first).outstanding() ? second : first;
        };
    }

    /**
     * The candidate that a client with this number always picks for an actor, as long as it is a candidate; over many clients in proportion
     * to the weights.
     *
     * @param copies the client's number
     */
    static ServerId pickStable(List<Candidate> candidates, long copies, int actor) {
        return candidates
                .get(WeightedRandomChooser.pickStable(candidates, copies, actor))
                .server();
    }

    /**
     * The planning server itself if it is a candidate with at least the mean weight, else in proportion to the weights. It saves a network
     * hop. Clients spread queries over all servers, so replicas of equal weight still get equal shares. A server with a low weight gets no
     * extra load for being local.
     */
    static RoutingPolicy preferLocal(ServerId self) {
        return (candidates, random) -> {
            double sum = 0;
            int own = -1;
            for (int i = 0; i < candidates.size(); i++) {
                sum += candidates.get(i).weight();
                own = candidates.get(i).server().equals(self) ? i : own;
            }
            boolean fair = own >= 0 && candidates.get(own).weight() * candidates.size() >= sum;
            return fair ? own : WeightedRandomChooser.pick(candidates, random);
        };
    }
}
