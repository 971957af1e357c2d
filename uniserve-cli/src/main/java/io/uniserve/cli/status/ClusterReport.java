package io.uniserve.cli.status;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.Routing;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.model.TableMeta;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's state joined with what its servers report: a replica is what the map says and what its server says.
 *
 * @param coordinator the leader, null while there is none
 * @param drained servers that are to hold nothing, live or not
 */
record ClusterReport(
        String cluster,
        long term,
        @Nullable Address coordinator,
        List<Server> servers,
        List<Table> tables,
        List<ServerId> drained,
        Rebalance rebalance) {
    ClusterReport {
        servers = List.copyOf(servers);
        tables = List.copyOf(tables);
        drained = List.copyOf(drained);
    }

    /** One live server; {@code load} is empty where it did not tell. */
    record Server(ServerRecord record, int primaries, int replicas, Optional<Load> load) {
        double queriesPerSecond() {
            return load.map(l -> l.replicas().stream()
                            .mapToDouble(ReplicaLoad::queriesPerSecond)
                            .sum())
                    .orElse(0.0);
        }

        long diskBytes() {
            return load.map(l -> l.replicas().stream()
                            .mapToLong(ReplicaLoad::diskBytes)
                            .sum())
                    .orElse(0L);
        }
    }

    /** One table. */
    record Table(TableMeta meta, List<Actor> actors) {
        long underReplicated() {
            return actors.stream()
                    .filter(actor -> actor.lacksReplicas(meta.rf()))
                    .count();
        }

        long withoutPrimary() {
            return actors.stream().filter(actor -> !actor.primaryLives()).count();
        }

        long rows() {
            return actors.stream().mapToLong(Actor::rows).sum();
        }

        /** Log entries that the actor furthest behind has not in durable storage; empty where nobody tells. */
        OptionalLong backupLag() {
            return actors.stream()
                    .flatMap(actor -> actor.replicas().stream())
                    .flatMap(replica -> replica.backupLag().stream())
                    .mapToLong(Long::longValue)
                    .max();
        }
    }

    /** One actor. */
    record Actor(ActorState state, boolean primaryLives, List<Replica> replicas) {
        long rows() {
            return replicas.stream()
                    .filter(replica -> replica.server().equals(state.primary()))
                    .flatMap(replica -> replica.load().stream())
                    .mapToLong(ReplicaLoad::rows)
                    .sum();
        }

        /** True when fewer are in sync than the table's rf, or than are desired where an operator wishes more. */
        boolean lacksReplicas(int rf) {
            return state.isr().size() < Math.max(rf, state.desired().size());
        }

        /** True when something is not as it should be. */
        boolean needsAttention(int rf) {
            return !primaryLives
                    || lacksReplicas(rf)
                    || !state.learners().isEmpty()
                    || !state.fencing().isEmpty();
        }
    }

    /** One replica; {@code role} by the map, {@code lag} in log entries behind the primary, empty where unknown. */
    record Replica(ServerId server, String role, Optional<ReplicaLoad> load, Optional<Long> lag) {
        /** Log entries that are not in durable storage; empty where the replica is no primary or there is none. */
        Optional<Long> backupLag() {
            return load.filter(l -> l.backupIndex() >= 0).map(l -> Math.max(0, l.lastIndex() - l.backupIndex()));
        }
    }

    static ClusterReport of(ClusterStatus status) {
        Routing routing = status.routing();
        Map<ServerId, Load> loads = new TreeMap<>();
        status.loads().forEach(load -> loads.put(load.server(), load));
        TreeSet<ServerId> live = new TreeSet<>();
        routing.servers().forEach(server -> live.add(server.id()));
        List<Table> tables = new ArrayList<>();
        for (TableRoute route : routing.tables()) {
            tables.add(table(route, loads, live));
        }
        List<Server> servers = routing.servers().stream()
                .map(record -> server(record, routing, Optional.ofNullable(loads.get(record.id()))))
                .toList();
        return new ClusterReport(
                routing.clusterId(),
                status.term(),
                routing.coordinator(),
                servers,
                tables,
                status.drained(),
                status.rebalance());
    }

    private static Server server(ServerRecord record, Routing routing, Optional<Load> load) {
        int primaries = 0;
        int replicas = 0;
        for (TableRoute route : routing.tables()) {
            for (ActorState actor : route.map().actors()) {
                primaries += actor.primary().equals(record.id()) ? 1 : 0;
                replicas += actor.hosts(record.id()) ? 1 : 0;
            }
        }
        return new Server(record, primaries, replicas, load);
    }

    private static Table table(TableRoute route, Map<ServerId, Load> loads, TreeSet<ServerId> live) {
        List<Actor> actors = new ArrayList<>();
        for (ActorState state : route.map().actors()) {
            ReplicaKey key = new ReplicaKey(route.meta().tableId(), state.actor());
            Optional<ReplicaLoad> primary = load(loads, state.primary(), key);
            List<Replica> replicas = new ArrayList<>();
            List<ServerId> all = new ArrayList<>(state.isr());
            all.addAll(state.learners());
            for (ServerId server : all) {
                Optional<ReplicaLoad> own = load(loads, server, key);
                Optional<Long> lag = primary.flatMap(p -> own.map(o -> Math.max(0, p.lastIndex() - o.appliedIndex())));
                replicas.add(new Replica(server, role(state, server), own, lag));
            }
            actors.add(new Actor(state, live.contains(state.primary()), replicas));
        }
        return new Table(route.meta(), actors);
    }

    private static String role(ActorState state, ServerId server) {
        if (server.equals(state.primary())) {
            return "primary";
        }
        return state.isr().contains(server) ? "in-sync" : "learner";
    }

    private static Optional<ReplicaLoad> load(Map<ServerId, Load> loads, ServerId server, ReplicaKey key) {
        return Optional.ofNullable(loads.get(server)).stream()
                .flatMap(load -> load.replicas().stream())
                .filter(replica -> replica.key().equals(key))
                .findFirst();
    }
}
