package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.model.ActorState;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CoAccessedActors;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.PopularSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Conversion of the cluster's state to the input of a rebalancing policy. Loads are in milliseconds of CPU per second. */
final class RebalanceInputBuilder {
    /**
     * Assumed cost of a replica without reads. With few queries the rebalancer then balances the number of replicas, and noise moves
     * nothing.
     */
    static final double IDLE_MILLIS_PER_SECOND = 1.0;

    /** Additional cost of a primary, which gets updates first. */
    static final double PRIMARY_MILLIS_PER_SECOND = 0.5;

    private RebalanceInputBuilder() {}

    static LiveCluster of(
            Collection<ServerRecord> usable,
            Collection<Table> tables,
            LoadAverages averages,
            List<Load> loads,
            Predicate<ReplicaKey> movable,
            ReplicationController replication) {
        List<Actor> actors = new ArrayList<>();
        for (Table table : tables) {
            for (ActorState actor : table.map().actors()) {
                ReplicaKey key = new ReplicaKey(table.meta.tableId(), actor.actor());
                actors.add(actor(
                        table.meta,
                        actor,
                        averages,
                        movable.test(key) && actor.isOnDesiredServers(),
                        replication.stateOf(table, actor, averages)));
            }
        }
        return new LiveCluster(servers(usable), actors, together(loads));
    }

    static List<Server> servers(Collection<ServerRecord> usable) {
        return usable.stream()
                .map(record -> new Server(
                        record.id(),
                        record.zone(),
                        Math.max(1, record.capacity().cpuMillis()) / 1_000.0,
                        record.ports().stream().map(PortInfo::name).collect(Collectors.toCollection(TreeSet::new))))
                .sorted(Comparator.comparing(Server::id))
                .toList();
    }

    static Actor actor(TableMeta table, ActorState actor, LoadAverages averages, boolean movable, CopyState copies) {
        ReplicaKey key = new ReplicaKey(table.tableId(), actor.actor());
        int replicas = Math.max(1, actor.desiredServers().size());
        return new Actor(
                key,
                table.port(),
                actor.desiredServers(),
                actor.primary(),
                averages.cost(key) / replicas + IDLE_MILLIS_PER_SECOND,
                PRIMARY_MILLIS_PER_SECOND,
                averages.memory(key),
                movable,
                copies);
    }

    /** Sums the reports per set of actors. Each query is reported by one server only, so no query counts twice. */
    static List<CoAccessedActors> together(List<Load> loads) {
        TreeMap<List<ReplicaKey>, Double> sums = new TreeMap<>(Comparator.comparing(List::toString));
        for (Load load : loads) {
            for (PopularSet set : load.sets()) {
                List<ReplicaKey> keys = set.actors().stream()
                        .map(actor -> new ReplicaKey(set.tableId(), actor))
                        .toList();
                sums.merge(keys, Math.max(0, set.perSecond()), Double::sum);
            }
        }
        return sums.entrySet().stream()
                .map(entry -> new CoAccessedActors(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingDouble(set -> -set.perSecond()))
                .toList();
    }
}
