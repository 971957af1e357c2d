package io.uniserve.protocol.coordinator;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMap;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the map says of movement: which actors are on their way, from and to where, and whether something is wrong that comes
 * first. Nothing is remembered, so another leader sees the same.
 */
final class InProgressMoves {
    private final TreeMap<ReplicaKey, ActorState> moving = new TreeMap<>();
    private final TreeMap<ServerId, Integer> perServer = new TreeMap<>();
    private @Nullable String trouble;

    /** Looks at every actor. */
    static InProgressMoves of(Collection<Table> tables, ClusterView view) {
        InProgressMoves found = new InProgressMoves();
        for (Table table : tables) {
            TableMap map = table.map();
            for (ActorState actor : map.actors()) {
                found.look(new ReplicaKey(map.tableId(), actor.actor()), table, actor, view);
            }
        }
        return found;
    }

    private void look(ReplicaKey key, Table table, ActorState actor, ClusterView view) {
        String name = table.meta.name() + "/" + actor.actor();
        if (actor.isr().size() < table.meta.rf() || !actor.begun()) {
            trouble = name + " lacks replicas or has not begun";
        } else if (!actor.isr().stream().allMatch(view::live)) {
            trouble = name + " has a replica on a server that is not live";
        } else if (actor.isr().stream().anyMatch(view::draining)) {
            trouble = name + " has a replica on a server that is being drained";
        }
        if (!actor.settled()) {
            moving.put(key, actor);
            Set<ServerId> touched = new TreeSet<>(sources(actor));
            touched.addAll(targets(actor));
            touched.forEach(id -> perServer.merge(id, 1, Integer::sum));
        }
    }

    /** In-sync replicas that are to leave. */
    static List<ServerId> sources(ActorState actor) {
        return actor.isr().stream().filter(id -> !actor.desired().contains(id)).toList();
    }

    /** Where replicas are desired that are not in sync, and who learns. */
    static List<ServerId> targets(ActorState actor) {
        Set<ServerId> targets = new TreeSet<>(actor.learners());
        actor.desired().stream().filter(id -> !actor.isr().contains(id)).forEach(targets::add);
        return List.copyOf(targets);
    }

    /** Why nothing should move by itself; null where nothing is wrong. */
    @Nullable
    String trouble() {
        return trouble;
    }

    /** Actors on their way. */
    TreeMap<ReplicaKey, ActorState> moving() {
        return moving;
    }

    /** Actors on their way from or to the server. */
    int of(ServerId server) {
        return perServer.getOrDefault(server, 0);
    }

    /** Another move begins. */
    void add(ReplicaKey key, ActorState wished) {
        moving.put(key, wished);
        sources(wished).forEach(id -> perServer.merge(id, 1, Integer::sum));
        targets(wished).forEach(id -> perServer.merge(id, 1, Integer::sum));
    }
}
