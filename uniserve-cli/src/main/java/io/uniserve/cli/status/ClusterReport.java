package io.uniserve.cli.status;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.message.AdminReply.ClusterStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * State of the cluster by the map, joined with the reports of its servers. A state or number that is not reported counts as unknown, not as
 * ok or zero.
 *
 * @param coordinator the leader, null while there is none
 * @param drained servers that must hold no replicas, live or not
 * @param problems of the coordinator
 */
record ClusterReport(
        String cluster,
        long term,
        @Nullable Address coordinator,
        List<Server> servers,
        List<Table> tables,
        List<ServerId> drained,
        Rebalance rebalance,
        List<HealthProblem> problems) {
    ClusterReport {
        servers = List.copyOf(servers);
        tables = List.copyOf(tables);
        drained = List.copyOf(drained);
        problems = List.copyOf(problems);
    }

    boolean isLive(ServerId server) {
        return servers.stream().anyMatch(one -> one.record().id().equals(server));
    }

    /** One live server; {@code load} is empty if it did not report. */
    record Server(ServerRecord record, int primaries, int replicas, Optional<Load> load) {
        /** Returns its reported problems; empty if it did not answer, which is a problem by itself. */
        List<HealthProblem> problems() {
            return load.map(Load::problems).orElse(List.of());
        }

        /** Returns the cause of the worst problem, ok if there is none. */
        HealthStatus health() {
            if (load.isEmpty()) {
                return HealthStatus.unknown("does not answer the coordinator");
            }
            return problems().stream()
                    .max(Comparator.comparing(HealthProblem::severity))
                    .map(worst -> worst.severity() == HealthProblem.Severity.UNKNOWN
                            ? HealthStatus.unknown(worst.object() + ": " + worst.text())
                            : HealthStatus.failed(worst.object() + ": " + worst.text()))
                    .orElse(HealthStatus.OK);
        }

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

        /** Returns the rows; empty if those of one actor are unknown. */
        OptionalLong rows() {
            boolean known = actors.stream().allMatch(actor -> actor.rows().isPresent());
            return known
                    ? OptionalLong.of(actors.stream()
                            .mapToLong(actor -> actor.rows().orElse(0))
                            .sum())
                    : OptionalLong.empty();
        }

        /** Returns the largest number of log entries of an actor that are not in durable storage; empty if one primary does not report. */
        OptionalLong backupLag() {
            if (!actors.stream().allMatch(Actor::isReported)) {
                return OptionalLong.empty();
            }
            return actors.stream()
                    .flatMap(actor -> actor.replicas().stream())
                    .flatMap(replica -> replica.backupLag().stream())
                    .mapToLong(Long::longValue)
                    .max();
        }
    }

    /** One actor. */
    record Actor(ActorState state, boolean primaryLives, List<Replica> replicas) {
        /** Returns the rows of the primary; empty if it has not reported them. */
        OptionalLong rows() {
            return primary()
                    .flatMap(Replica::load)
                    .filter(load -> load.rows() != ReplicaLoad.UNKNOWN)
                    .map(load -> OptionalLong.of(load.rows()))
                    .orElse(OptionalLong.empty());
        }

        /** True if the server of its primary reports about it. */
        boolean isReported() {
            return primary().flatMap(Replica::load).isPresent();
        }

        private Optional<Replica> primary() {
            return replicas.stream()
                    .filter(replica -> replica.server().equals(state.primary()))
                    .findFirst();
        }

        /** Returns whether the primary serves; without it the actor accepts no updates. */
        HealthStatus health() {
            return primary().map(Replica::health).orElse(HealthStatus.unknown("the map has no replica of its primary"));
        }

        /** Returns the problem of another in-sync replica; empty if there is none. */
        Optional<String> replicaProblem() {
            return replicas.stream()
                    .filter(replica -> state.isr().contains(replica.server())
                            && !replica.server().equals(state.primary()))
                    .flatMap(replica -> replica.health().problem().stream())
                    .findFirst();
        }

        /** Returns the milliseconds since its backup started to fail; 0 if it does not fail. */
        long backupFailingMillis() {
            return primary()
                    .flatMap(Replica::load)
                    .map(ReplicaLoad::backupFailingMillis)
                    .orElse(0L);
        }

        /** True if fewer replicas are in sync than the table's rf, or than the larger number that an operator requested. */
        boolean lacksReplicas(int rf) {
            return state.isr().size() < Math.max(rf, state.desiredServers().size());
        }

        /** True if the actor has a problem. */
        boolean needsAttention(int rf) {
            return !health().isOk()
                    || replicaProblem().isPresent()
                    || backupFailingMillis() > 0
                    || lacksReplicas(rf)
                    || !state.learners().isEmpty()
                    || !state.fencing().isEmpty();
        }
    }

    /**
     * One replica. {@code role} is by the map; {@code lag} is in log entries behind the primary, empty if unknown.
     *
     * @param health whether it serves, for a replica in sync
     */
    record Replica(ServerId server, String role, Optional<ReplicaLoad> load, Optional<Long> lag, HealthStatus health) {
        /**
         * Returns the log entries that are not in durable storage; empty for other replicas than the primary, or without durable storage.
         */
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
        Map<ServerId, Map<ReplicaKey, ReplicaLoad>> replicas = new TreeMap<>();
        status.loads().forEach(load -> {
            Map<ReplicaKey, ReplicaLoad> own = new TreeMap<>();
            load.replicas().forEach(replica -> own.put(replica.key(), replica));
            replicas.put(load.server(), own);
        });
        List<Table> tables = new ArrayList<>();
        for (TableRoute route : routing.tables()) {
            tables.add(table(route, loads, replicas, live));
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
                status.rebalance(),
                status.problems());
    }

    private static Server server(ServerRecord record, Routing routing, Optional<Load> load) {
        int primaries = 0;
        int replicas = 0;
        for (TableRoute route : routing.tables()) {
            for (ActorState actor : route.map().actors()) {
                primaries += actor.primary().equals(record.id()) ? 1 : 0;
                replicas += actor.hasReplicaOn(record.id()) ? 1 : 0;
            }
        }
        return new Server(record, primaries, replicas, load);
    }

    private static Table table(
            TableRoute route,
            Map<ServerId, Load> loads,
            Map<ServerId, Map<ReplicaKey, ReplicaLoad>> reported,
            TreeSet<ServerId> live) {
        List<Actor> actors = new ArrayList<>();
        for (ActorState state : route.map().actors()) {
            ReplicaKey key = new ReplicaKey(route.meta().tableId(), state.actor());
            Optional<ReplicaLoad> primary = load(reported, state.primary(), key);
            List<Replica> replicas = new ArrayList<>();
            List<ServerId> all = new ArrayList<>(state.isr());
            all.addAll(state.learners());
            for (ServerId server : all) {
                Optional<ReplicaLoad> own = load(reported, server, key);
                Optional<Long> lag = primary.flatMap(p -> own.map(o -> Math.max(0, p.lastIndex() - o.appliedIndex())));
                HealthStatus healthStatus = state.isr().contains(server)
                        ? ReplicaStatusCheck.of(
                                state, server, live.contains(server), Optional.ofNullable(loads.get(server)), own)
                        : HealthStatus.unknown("catching up");
                replicas.add(new Replica(server, role(state, server), own, lag, healthStatus));
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

    private static Optional<ReplicaLoad> load(
            Map<ServerId, Map<ReplicaKey, ReplicaLoad>> reported, ServerId server, ReplicaKey key) {
        return Optional.ofNullable(reported.get(server)).map(own -> own.get(key));
    }
}
