package io.uniserve.balance.explain;

import java.util.List;

/**
 * Why an actor is where it is.
 *
 * @param actor which one
 * @param facts its load, needs and sets, a sentence each
 * @param hosts one line for each server that hosts it
 * @param others one line for each other server, the best first: what a replica there would do, or what forbids it
 */
public record Explanation(int actor, List<String> facts, List<String> hosts, List<String> others) {
    public Explanation {
        facts = List.copyOf(facts);
        hosts = List.copyOf(hosts);
        others = List.copyOf(others);
    }
}
