package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The moves under way, with sources and targets, and any problem that takes precedence over moves. It is derived from the map alone, so
 * every leader gets the same result.
 */
final class InProgressMoves {
    private final TreeMap<ReplicaKey, ActorState> moving = new TreeMap<>();
    private final TreeMap<ServerId, Integer> perServer = new TreeMap<>();
    private @Nullable String blockingReason;

    /** Derives the moves from all actors of these tables. */
    static InProgressMoves of(Collection<Table> tables, ClusterView view) {
        InProgressMoves found = new InProgressMoves();
        for (Table table : tables) {
            TableMap map = table.map();
            for (ActorState actor : map.actors()) {
                found.addActor(new ReplicaKey(map.tableId(), actor.actor()), table, actor, view);
            }
        }
        return found;
    }

    private void addActor(ReplicaKey key, Table table, ActorState actor, ClusterView view) {
        String name = table.meta.name() + "/" + actor.actor();
        if (actor.isr().size() < table.meta.rf() || !actor.epochStarted()) {
            blockingReason = name + " lacks replicas or has not started";
        } else if (!actor.isr().stream().allMatch(view::isLive)) {
            blockingReason = name + " has a replica on a server that is not live";
        } else if (actor.isr().stream().anyMatch(view::isDraining)) {
            blockingReason = name + " has a replica on a server that is being drained";
        }
        if (!actor.isOnDesiredServers()) {
            moving.put(key, actor);
            Set<ServerId> touched = new TreeSet<>(sources(actor));
            touched.addAll(targets(actor));
            touched.forEach(id -> perServer.merge(id, 1, Integer::sum));
        }
    }

    /** In-sync replicas that must leave. */
    static List<ServerId> sources(ActorState actor) {
        return actor.isr().stream()
                .filter(id -> !actor.desiredServers().contains(id))
                .toList();
    }

    /** Desired servers whose replica is not in sync, and all learners. */
    static List<ServerId> targets(ActorState actor) {
        Set<ServerId> targets = new TreeSet<>(actor.learners());
        actor.desiredServers().stream().filter(id -> !actor.isr().contains(id)).forEach(targets::add);
        return List.copyOf(targets);
    }

    /** Reason why nothing should move automatically; null if there is none. */
    @Nullable
    String blockingReason() {
        return blockingReason;
    }

    /** Actors that are being moved. */
    TreeMap<ReplicaKey, ActorState> moving() {
        return moving;
    }

    /** Number of actors that are being moved from or to the server. */
    int of(ServerId server) {
        return perServer.getOrDefault(server, 0);
    }

    /** Adds a move that starts now. */
    void add(ReplicaKey key, ActorState wished) {
        moving.put(key, wished);
        sources(wished).forEach(id -> perServer.merge(id, 1, Integer::sum));
        targets(wished).forEach(id -> perServer.merge(id, 1, Integer::sum));
    }
}
