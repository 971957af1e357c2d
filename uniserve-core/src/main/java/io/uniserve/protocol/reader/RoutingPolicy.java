package io.uniserve.protocol.reader;

import io.uniserve.model.ServerId;
import java.util.List;

/**
 * Which of several replicas answers. A pure function: no clock, no I/O, no state. The static factories are the catalogue.
 */
@FunctionalInterface
public interface RoutingPolicy {
    /**
     * Picks a candidate.
     *
     * @param candidates at least one, each with a weight above 0
     * @param random 64 random bits
     * @return position of the choice
     */
    int pick(List<Candidate> candidates, long random);

    /**
     * A replica that may answer.
     *
     * @param weight its share of the actor's queries, lowered while it is warming up; above 0, need not sum to 1
     * @param outstanding requests of this client the server has not answered yet
     */
    record Candidate(ServerId server, double weight, int outstanding) {}

    /** In proportion to the weights, so that servers get the load the coordinator planned. The default. */
    static RoutingPolicy weighted() {
        return WeightedChoice::pick;
    }

    /**
     * Draws two by weight and takes the one with fewer outstanding requests: follows the weights roughly and evades a
     * server that is slow just now.
     */
    static RoutingPolicy leastOutstandingOfTwo() {
        return (candidates, random) -> {
            int first = WeightedChoice.pick(candidates, random);
            int second = WeightedChoice.pick(candidates, WeightedChoice.mix(random));
            return candidates.get(second).outstanding() < candidates.get(first).outstanding() ? second : first;
        };
    }

    /**
     * The candidate that a client of this number always picks for an actor, while it is one: by weight over many clients.
     *
     * @param copies the client's number
     */
    static ServerId same(List<Candidate> candidates, long copies, int actor) {
        return candidates.get(WeightedChoice.same(candidates, copies, actor)).server();
    }

    /**
     * The planner's own server where it is a candidate with at least the mean weight, else in proportion to the weights. It
     * saves a hop. Clients spread their queries over all servers, so replicas of equal weight still get equal shares; one that
     * the coordinator spares is not asked more for being near.
     */
    static RoutingPolicy near(ServerId self) {
        return (candidates, random) -> {
            double sum = 0;
            int own = -1;
            for (int i = 0; i < candidates.size(); i++) {
                sum += candidates.get(i).weight();
                own = candidates.get(i).server().equals(self) ? i : own;
            }
            boolean fair = own >= 0 && candidates.get(own).weight() * candidates.size() >= sum;
            return fair ? own : WeightedChoice.pick(candidates, random);
        };
    }
}
