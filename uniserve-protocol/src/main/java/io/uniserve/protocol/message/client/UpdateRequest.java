package io.uniserve.protocol.message.client;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.Bytes;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One server's share of an eventual update, with rows per actor that it is the primary of. Or a whole atomic update, for its transaction
 * manager.
 *
 * @param lowWater the client's smallest unfinished sequence number; for an atomic update the newest version that the client knew to be
 *     committed before the first attempt, 0 if unknown
 * @param stageOnly true to stage the rows in the memory of the actors' primary, for an atomic update of this request id. Nothing is applied,
 *     and the transaction manager then gets only hashes
 */
public record UpdateRequest(
        TableName table,
        long tableId,
        RequestId request,
        long lowWater,
        int attempt,
        AckLevel level,
        String function,
        List<ActorRows> actors,
        long remainingNanos,
        boolean stageOnly) {
    public UpdateRequest {
        actors = List.copyOf(actors);
    }

    /** A request that applies its rows. */
    public UpdateRequest(
            TableName table,
            long tableId,
            RequestId request,
            long lowWater,
            int attempt,
            AckLevel level,
            String function,
            List<ActorRows> actors,
            long remainingNanos) {
        this(table, tableId, request, lowWater, attempt, level, function, actors, remainingNanos, false);
    }

    /**
     * Rows for one actor: a count, then each row by its codec (see {@code io.uniserve.codec.Codecs#list}).
     *
     * @param rows empty if the rows are staged
     * @param staged reference to rows that the actor's primary already has; null if the rows are here
     */
    public record ActorRows(
            int actor, long epoch, Bytes rows, @Nullable StagedRowsRef staged) {
        /** Rows that are not staged. */
        public ActorRows(int actor, long epoch, Bytes rows) {
            this(actor, epoch, rows, null);
        }

        /** Number of rows as the sender counted them; 0 if they are staged. Fails with CORRUPT if the count is malformed. */
        public int count() {
            return staged == null ? new BinaryReader(rows).readCount(1) : 0;
        }

        /** Size of the rows in bytes, staged or not. */
        public long bytes() {
            return staged == null ? rows.size() : staged.bytes();
        }
    }
}
