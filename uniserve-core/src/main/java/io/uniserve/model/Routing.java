package io.uniserve.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All a client needs to route: pushed by servers and coordinators whenever it changes.
 *
 * @param clusterId the cluster's identity; a client refuses another
 * @param tables definition, map and the map's znode version, sorted by name
 * @param servers live servers, sorted by id
 * @param coordinator the leader, or null while there is none
 */
public record Routing(
        String clusterId,
        List<TableRoute> tables,
        List<ServerRecord> servers,
        @Nullable Address coordinator) {
    public Routing {
        tables = List.copyOf(tables);
        servers = List.copyOf(servers);
    }

    /** One table of the routing. */
    public record TableRoute(TableMeta meta, TableMap map, int mapVersion) {}
}
