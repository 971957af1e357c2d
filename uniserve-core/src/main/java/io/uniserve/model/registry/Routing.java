package io.uniserve.model.registry;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
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

    /** The same routing with these tables. */
    public Routing withTables(List<TableRoute> some) {
        return new Routing(clusterId, some, servers, coordinator);
    }

    /** Routing of one table. */
    public record TableRoute(TableMeta meta, TableMap map, int mapVersion) {
        /** The actors that may have rows of a key: one, or for a TIME table one per chunk. Ascending. */
        public List<Integer> actorsOf(PartitionKey key) {
            if (!(meta.partitioner() instanceof Partitioner.Time time)) {
                return List.of(meta.partitioner().actorOf(key));
            }
            int bucket = time.bucketOf(key);
            return map.numbers().stream()
                    .filter(actor -> actor % time.buckets() == bucket)
                    .toList();
        }

        /**
         * The actors of the chunks of a TIME table that overlap an interval, ascending.
         *
         * @param from start, inclusive, in milliseconds since 1970
         * @param to end, exclusive
         * @throws UniserveException INVALID_ARGUMENT for a table that is not partitioned by time
         */
        public List<Integer> actorsBetween(long from, long to) {
            if (!(meta.partitioner() instanceof Partitioner.Time time)) {
                throw UniserveException.invalid(
                        "table " + meta.name() + " is not partitioned by time: query it without an interval");
            }
            return map.numbersBetween(time, from, to);
        }
    }
}
