package io.uniserve.protocol.client.routing;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Partitioner;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Index of a routing by table name and server id. Immutable, built once per routing and shared by all queries. */
public final class RouteIndex {
    private final Routing routing;
    private final Map<TableName, TableRoute> tables = new LinkedHashMap<>();
    private final Map<ServerId, Address> addresses = new LinkedHashMap<>();
    private final Map<String, Set<String>> updates = new LinkedHashMap<>();
    private final Set<String> portsWithDifferingReplicas = new LinkedHashSet<>();
    private final Set<String> portsWithTextKeys = new LinkedHashSet<>();

    private RouteIndex(Routing routing) {
        this.routing = routing;
        for (TableRoute table : routing.tables()) {
            tables.put(table.meta().name(), table);
        }
        for (ServerRecord server : routing.servers()) {
            addresses.put(server.id(), server.address());
            for (PortInfo port : server.ports()) {
                updates.computeIfAbsent(port.name(), any -> new LinkedHashSet<>())
                        .addAll(port.updates());
                if (port.replicasDiffer()) {
                    portsWithDifferingReplicas.add(port.name());
                }
                if (port.textKeys()) {
                    portsWithTextKeys.add(port.name());
                }
            }
        }
    }

    /** Indexes a routing. */
    public static RouteIndex of(Routing routing) {
        return new RouteIndex(routing);
    }

    /** The indexed routing. */
    public Routing routing() {
        return routing;
    }

    /** The table's definition and map; empty if the routing does not have the name. */
    public Optional<TableRoute> table(TableName name) {
        return Optional.ofNullable(tables.get(name));
    }

    /** True if replicas of the table's actors may give different answers, according to the port. */
    public boolean replicasMayDiffer(TableName name) {
        TableRoute table = tables.get(name);
        return table != null && portsWithDifferingReplicas.contains(table.meta().port());
    }

    /** The update functions of a port that some live server offers. */
    public Set<String> updates(String port) {
        return updates.getOrDefault(port, Set.of());
    }

    /** True if the table's port takes keys as texts; a number is then sent as a text. */
    public boolean hasTextKeys(TableName name) {
        TableRoute table = tables.get(name);
        return table != null && portsWithTextKeys.contains(table.meta().port());
    }

    /** Address of a live server; empty if the server is not live. */
    public Optional<Address> address(ServerId server) {
        return Optional.ofNullable(addresses.get(server));
    }

    /**
     * Servers that have an actor of a table and the same-numbered actors of the other tables: live and in sync for all of them, per actor.
     * Empty if an actor has no such server, a table no longer exists, the partitioners differ, or they partition by time:
     * then rows of one key are at several actors.
     */
    public Optional<Map<Integer, Set<ServerId>>> colocatedServers(TableName table, ColocatedTables beside) {
        TableRoute own = tables.get(table);
        if (own == null
                || own.meta().tableId() != beside.tableId()
                || own.meta().partitioner() instanceof Partitioner.Time) {
            return Optional.empty();
        }
        Map<Integer, Set<ServerId>> common = new LinkedHashMap<>();
        own.map().actors().forEach(actor -> common.put(actor.actor(), new LinkedHashSet<>(liveIsr(actor))));
        for (Map.Entry<TableName, Long> one : beside.tables().entrySet()) {
            TableRoute other = tables.get(one.getKey());
            if (other == null
                    || other.meta().tableId() != one.getValue()
                    || !other.meta().partitioner().equals(own.meta().partitioner())) {
                return Optional.empty();
            }
            common.forEach((actor, servers) -> {
                ActorState same = other.map().find(actor);
                servers.retainAll(same == null ? List.of() : liveIsr(same));
            });
        }
        return common.values().stream().anyMatch(Set::isEmpty) ? Optional.empty() : Optional.of(common);
    }

    /** The actors of other tables that belong to these targets, with epochs and watermarks; without tables that no longer exist. */
    public List<ReadRequest.ColocatedTargets> colocatedActors(
            long tableId, ColocatedTables beside, List<ReadRequest.Target> targets, SessionWatermarks floors) {
        List<ReadRequest.ColocatedTargets> all = new ArrayList<>();
        if (tableId != beside.tableId()) {
            return all;
        }
        beside.tables().forEach((name, id) -> {
            TableRoute route = tables.get(name);
            if (route != null && route.meta().tableId() == id) {
                all.add(new ReadRequest.ColocatedTargets(
                        name,
                        id,
                        targets.stream()
                                .map(target -> route.map().find(target.actor()))
                                .filter(Objects::nonNull)
                                .map(actor -> new ReadRequest.Target(
                                        actor.actor(), actor.epoch(), floors.watermark(id, actor)))
                                .toList()));
            }
        });
        return all;
    }

    /** Live servers that have the port, by id. */
    public List<ServerId> serversWith(String port) {
        return routing.servers().stream()
                .filter(server ->
                        server.ports().stream().anyMatch(info -> info.name().equals(port)))
                .map(ServerRecord::id)
                .toList();
    }

    /** True while the server is live. */
    public boolean isLive(ServerId server) {
        return addresses.containsKey(server);
    }

    /** The actor's in-sync replicas that are live. */
    public List<ServerId> liveIsr(ActorState state) {
        return state.isr().stream().filter(this::isLive).toList();
    }
}
