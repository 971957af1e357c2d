package io.uniserve.protocol.coordinator.chunk;

import io.uniserve.model.ServerId;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import java.util.List;

/** Choice of the servers for the actors of a new chunk. Called on the leader's loop; it must not block. */
public interface ChunkPlacement {
    /**
     * Servers of a new chunk's actors.
     *
     * @param table the TIME table; its map has the earlier chunks
     * @param ordinal ordinal of the new chunk
     * @param replicas replicas per actor
     * @return per bucket the distinct servers of its replicas, of live servers with the table's port, the primary first
     * @throws io.uniserve.error.UniserveException UNAVAILABLE if too few live servers offer the port
     */
    List<List<ServerId>> place(LeaderContext leader, Table table, int ordinal, int replicas);
}
