package io.uniserve.protocol.client.query;

import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.protocol.client.routing.RoutingPolicy.Candidate;
import io.uniserve.protocol.client.routing.WeightedRandomChooser;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Choice of the replica that answers for an actor. Candidates are live replicas that were not tried in this round. Servers that are not
 * avoided come first, among them those with a read weight. The routing policy chooses one of the remaining candidates.
 */
final class ReplicaPicker {
    private final ClientState state;
    private long random;

    ReplicaPicker(ClientState state, long seed) {
        this.state = state;
        this.random = seed;
    }

    /**
     * The server to query; empty if every live replica was tried in this round. For an actor with a held state, only the server that holds
     * it.
     */
    Optional<ServerId> pick(RouteIndex index, ActorState actor, ReadMode mode, QueryTarget slot, long now) {
        if (slot.pin.isPresent()) {
            return slot.pin
                    .map(ReadSession.Pin::server)
                    .filter(server -> !slot.triedServers.contains(server) && index.isLive(server));
        }
        List<ServerId> open = untriedLive(index, actor.isr(), slot);
        if (open.isEmpty() && mode == ReadMode.STALE) {
            open = untriedLive(index, actor.learners(), slot);
        }
        List<ServerId> wanted =
                open.stream().filter(slot.preferredServers::contains).toList();
        open = wanted.isEmpty() ? open : wanted;
        if (open.size() <= 1) {
            return open.stream().findFirst();
        }
        Address near = slot.preferredAddress;
        if (near != null) {
            for (ServerId server : open) {
                if (index.address(server).filter(near::equals).isPresent()) {
                    return Optional.of(server);
                }
            }
        }
        if (slot.preferPrimary && open.contains(actor.primary())) {
            return Optional.of(actor.primary());
        }
        List<Candidate> candidates = candidates(open, actor, now, slot.replicaSeed == 0);
        if (slot.replicaSeed != 0) {
            return Optional.of(RoutingPolicy.pickStable(candidates, slot.replicaSeed, slot.actor));
        }
        random = WeightedRandomChooser.mix(random);
        return Optional.of(
                candidates.get(state.policy().pick(candidates, random)).server());
    }

    /**
     * Another replica for a hedge, not tried in this round and not avoided.
     *
     * @param needed true if a server that is not preferred is better than none
     */
    Optional<ServerId> pickSpare(
            RouteIndex index, ActorState actor, ReadMode mode, QueryTarget slot, long now, boolean needed) {
        if (slot.replicaSeed != 0 && !needed) {
            return Optional.empty();
        }
        return pick(index, actor, mode, slot, now)
                .filter(server -> needed || slot.preferredServers.isEmpty() || slot.preferredServers.contains(server))
                .filter(server -> state.health().loadShare(server, now) > 0);
    }

    /** Other replicas for a hedge of the call's actors without an answer, which have no other request under way. */
    Map<ServerId, List<QueryTarget>> pickSpares(
            ReadCall call, RouteIndex index, TableMap map, ReadMode mode, long now, boolean needed) {
        Map<ServerId, List<QueryTarget>> groups = new LinkedHashMap<>();
        for (QueryTarget slot : call.slots) {
            ActorState actor = map.find(slot.actor);
            if (actor != null
                    && !slot.isResolved()
                    && slot.inFlight == 1
                    && slot.attempts < Limits.QUERY_ATTEMPTS_PER_ACTOR_MAX) {
                pickSpare(index, actor, mode, slot, now, needed)
                        .ifPresent(server -> groups.computeIfAbsent(server, id -> new ArrayList<>())
                                .add(slot));
            }
        }
        return groups;
    }

    private static List<ServerId> untriedLive(RouteIndex index, List<ServerId> replicas, QueryTarget slot) {
        List<ServerId> open = new ArrayList<>(replicas.size());
        for (ServerId server : replicas) {
            if (!slot.triedServers.contains(server) && index.isLive(server)) {
                open.add(server);
            }
        }
        return open;
    }

    /** Candidates with their weights, lowered for a server in slow start if {@code gently}. */
    private List<Candidate> candidates(List<ServerId> open, ActorState actor, long now, boolean gently) {
        List<Candidate> weighted = new ArrayList<>(open.size());
        List<Candidate> unweighted = new ArrayList<>(open.size());
        for (ServerId server : open) {
            double share = state.health().loadShare(server, now);
            if (share > 0) {
                double weight = actor.weights().isEmpty() ? 1 : actor.weights().getOrDefault(server, 0.0);
                double part = gently ? share : 1;
                (weight > 0 ? weighted : unweighted).add(candidate(server, weight > 0 ? weight * part : part));
            }
        }
        if (!weighted.isEmpty()) {
            return weighted;
        }
        if (!unweighted.isEmpty()) {
            return unweighted;
        }
        return open.stream().map(server -> candidate(server, 1)).toList();
    }

    private Candidate candidate(ServerId server, double weight) {
        return new Candidate(server, weight, state.health().outstanding(server));
    }
}
