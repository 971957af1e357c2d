package io.uniserve.placement.explain;

import java.util.List;

/**
 * Explanation of an actor's place.
 *
 * @param actor the actor
 * @param facts its load, needs and sets, one sentence each
 * @param hosts one line per server that hosts it
 * @param others one line per other server, the best first: the effect of a replica there, or the reason against it
 */
public record Explanation(int actor, List<String> facts, List<String> hosts, List<String> others) {
    public Explanation {
        facts = List.copyOf(facts);
        hosts = List.copyOf(hosts);
        others = List.copyOf(others);
    }
}
