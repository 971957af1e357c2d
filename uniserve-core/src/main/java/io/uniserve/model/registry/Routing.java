package io.uniserve.model.registry;

import io.uniserve.model.Address;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Routing of a cluster, for clients. Servers and coordinators push it at each change.
 *
 * @param clusterId the cluster's identity; a client rejects another one
 * @param tables definition, map and the map's znode version, sorted by name
 * @param servers live servers, sorted by id
 * @param coordinator the leader; null if there is none
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

    /** Routing of one table. */
    public record TableRoute(TableMeta meta, TableMap map, int mapVersion) {}
}
