package io.uniserve.protocol.coordinator.chunk;

import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.coordinator.failover.TableReconciler;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Life of the chunks of TIME tables in one term. A client's request makes the actors of a chunk, and the leader's wall clock ends them: one
 * write of the map removes the actors of all expired chunks and raises the map's {@code expiredBefore}. Both are single compare-and-set
 * writes with the term checked, so a leader that dies at any step leaves a chunk either whole or absent.
 */
public final class ChunkManager {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkManager.class);

    private final LeaderContext leader;
    private final TableReconciler tables;
    private final ChunkPlacement placement;

    public ChunkManager(LeaderContext leader, TableReconciler tables, ChunkPlacement placement) {
        this.leader = leader;
        this.tables = tables;
        this.placement = placement;
    }

    /** Makes the requested chunks that are absent. */
    public void create(AdminRequest.CreateChunks request, PendingAdminReply reply) {
        new ChunkCreator(leader, tables, placement, request, reply).start();
    }

    /** Drops the chunks that have expired. */
    public void tick() {
        long now = leader.env().clock().wallMillis();
        for (Table table : List.copyOf(leader.catalog().tables())) {
            if (table.meta.partitioner() instanceof Partitioner.Time time && !table.writePending && !table.stale) {
                expire(table, time, now);
            }
        }
    }

    private void expire(Table table, Partitioner.Time time, long now) {
        TableMap map = table.map();
        if (map.actors().isEmpty()
                || !time.isExpired(time.ordinalOf(map.actors().get(0).actor()), now)) {
            return;
        }
        int watermark = time.expiredBefore(map.numbers(), map.expiredBefore(), now);
        TableMap next = map.withoutChunksBefore(time, watermark);
        LOG.info(
                "table {}: {} actors of chunks before {} are expired",
                table.meta.name(),
                map.actors().size() - next.actors().size(),
                time.chunks().startText(watermark));
        tables.write(table, next, List.of(), () -> leader.droppedTables().addAll(List.of(table.meta.name())));
    }
}
