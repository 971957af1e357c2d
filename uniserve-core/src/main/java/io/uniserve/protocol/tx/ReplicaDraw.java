package io.uniserve.protocol.tx;

import io.uniserve.model.ServerId;
import io.uniserve.protocol.reader.RoutingPolicy;
import io.uniserve.protocol.reader.RoutingPolicy.Candidate;
import java.util.List;
import java.util.Map;

/** Draws one of several replicas at random, so that each gets the share of reads that the coordinator planned. Not thread-safe. */
final class ReplicaDraw {
    private long random;

    /** @param seed the same draws the same replicas */
    ReplicaDraw(long seed) {
        this.random = seed;
    }

    /**
     * One of these in proportion to its weight; where none has any, all have equal shares.
     *
     * @param open at least one
     */
    ServerId draw(List<ServerId> open, Map<ServerId, Double> weights) {
        random = random * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
        List<Candidate> weighing = open.stream()
                .filter(server -> weights.getOrDefault(server, 0.0) > 0)
                .map(server -> new Candidate(server, weights.getOrDefault(server, 0.0), 0))
                .toList();
        return weighing.isEmpty()
                ? open.get((int) ((random >>> 33) % open.size()))
                : weighing.get(RoutingPolicy.weighted().pick(weighing, random)).server();
    }
}
