package io.uniserve.protocol.coordinator.chunk;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.placement.ServerView;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import java.util.List;

/** Placement of chunks as of the actors of a new table: on the servers with the fewest replicas. */
public final class SpreadChunkPlacement implements ChunkPlacement {
    @Override
    public List<List<ServerId>> place(LeaderContext leader, Table table, int ordinal, int replicas) {
        List<ServerView> servers = leader.clusterView().eligible(table.meta.port());
        if (replicas > servers.size()) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "a new chunk of table " + table.meta.name() + " needs " + replicas + " servers with port \""
                            + table.meta.port() + "\", and " + servers.size() + " are live: start more servers");
        }
        int buckets = table.meta.partitioner() instanceof Partitioner.Time time ? time.buckets() : 0;
        return leader.placement().place(buckets, replicas, servers);
    }
}
