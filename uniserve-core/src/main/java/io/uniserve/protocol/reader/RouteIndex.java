package io.uniserve.protocol.reader;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Routing;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.model.TableName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A routing with look-ups by name and id. Immutable, made once per routing and shared by all queries. */
public final class RouteIndex {
    private final Routing routing;
    private final Map<TableName, TableRoute> tables = new LinkedHashMap<>();
    private final Map<ServerId, Address> addresses = new LinkedHashMap<>();

    private RouteIndex(Routing routing) {
        this.routing = routing;
        for (TableRoute table : routing.tables()) {
            tables.put(table.meta().name(), table);
        }
        for (ServerRecord server : routing.servers()) {
            addresses.put(server.id(), server.address());
        }
    }

    /** Indexes a routing. */
    public static RouteIndex of(Routing routing) {
        return new RouteIndex(routing);
    }

    /** What was indexed. */
    public Routing routing() {
        return routing;
    }

    /** The table's definition and map; empty where the routing does not know the name. */
    public Optional<TableRoute> table(TableName name) {
        return Optional.ofNullable(tables.get(name));
    }

    /** Where a live server listens; empty for one that is not live. */
    public Optional<Address> address(ServerId server) {
        return Optional.ofNullable(addresses.get(server));
    }

    /** Live servers that have the port, by id. */
    List<ServerId> serversWith(String port) {
        return routing.servers().stream()
                .filter(server ->
                        server.ports().stream().anyMatch(info -> info.name().equals(port)))
                .map(ServerRecord::id)
                .toList();
    }

    /** True while the server is live. */
    boolean live(ServerId server) {
        return addresses.containsKey(server);
    }

    /** The actor's replicas in sync that are live. */
    List<ServerId> liveIsr(ActorState state) {
        return state.isr().stream().filter(this::live).toList();
    }
}
