package io.uniserve.protocol.transaction.manager;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import io.uniserve.protocol.transaction.TransactionContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chunks of a TIME table that waiting updates name and that this server's map lacks (docs/protocol.md, section 6.7). An update of a chunk
 * that is expired fails with CHUNK_EXPIRED. An earlier attempt may have been committed before the expiry, so the transaction log is read
 * first, after the map. An update of a chunk that is newer than the map waits. Tables without chunks lack none.
 */
final class ChunkAvailability {
    private final TransactionContext host;
    private final TableName table;
    private final long tableId;
    /** Watermark of the map before the last read of the transaction log: that log has all commits of chunks before it. */
    private int settledBefore;

    ChunkAvailability(TransactionContext host, TableName table, long tableId) {
        this.host = host;
        this.table = table;
        this.tableId = tableId;
    }

    /** Watermark of this server's map, 0 if there is none. */
    int watermark() {
        TransactionContext.Table known = known();
        return known == null ? 0 : known.map().expiredBefore();
    }

    /** Called after a read of the transaction log that began when the map had this watermark. */
    void onLogRead(int watermark) {
        settledBefore = Math.max(settledBefore, watermark);
    }

    /** True if an update is of an expired chunk and the log may lack the commit of an earlier attempt. */
    boolean needsNewerLog(List<QueuedUpdate> updates) {
        TransactionContext.Table known = known();
        return known != null
                && known.map().expiredBefore() > settledBefore
                && updates.stream().anyMatch(update -> expiredActor(known, update.request) >= 0);
    }

    /** The error of an update of a chunk that is expired; null for others. Requires that the log is new enough. */
    Transaction.@Nullable ParticipantError errorFor(UpdateRequest request) {
        TransactionContext.Table known = known();
        int expired = known == null ? -1 : expiredActor(known, request);
        if (known == null || expired < 0 || !(known.meta().partitioner() instanceof Partitioner.Time time)) {
            return null;
        }
        UniserveException error = time.expired(time.ordinalOf(expired));
        return new Transaction.ParticipantError(error.code(), error.reason());
    }

    /** True if the map lacks an actor of the update: the chunk is newer than the map, or expired. */
    boolean lacksActor(UpdateRequest request) {
        TransactionContext.Table known = known();
        if (known == null) {
            return false;
        }
        for (ActorRows rows : request.actors()) {
            if (!known.map().has(rows.actor())) {
                if (!known.isExpired(rows.actor())) {
                    host.refresh(table);
                }
                return true;
            }
        }
        return false;
    }

    private static int expiredActor(TransactionContext.Table known, UpdateRequest request) {
        for (ActorRows rows : request.actors()) {
            if (known.isExpired(rows.actor())) {
                return rows.actor();
            }
        }
        return -1;
    }

    private TransactionContext.@Nullable Table known() {
        TransactionContext.Table known = host.table(table);
        return known != null && known.meta().tableId() == tableId ? known : null;
    }
}
