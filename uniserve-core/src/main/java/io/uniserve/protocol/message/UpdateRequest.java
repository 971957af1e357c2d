package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One server's share of an eventual update: rows of each actor whose primary it is; or a whole atomic update, for the server
 * that drives it.
 *
 * @param lowWater the client's smallest unfinished sequence; of an atomic update a version that was committed before the
 *     request was first sent, 0 where that is not known
 * @param stages true where nothing is applied: the rows are kept in memory at their actors' primary for an atomic update of this
 *     request id, whose driver then gets only their hashes
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
        boolean stages) {
    public UpdateRequest {
        actors = List.copyOf(actors);
    }

    /** One message for all. */
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
     * @param rows none where they are staged
     * @param staged the rows that the actor's primary has already; null where they are here
     */
    public record ActorRows(
            int actor, long epoch, Bytes rows, @Nullable StagedRowsRef staged) {
        /** Rows that are here. */
        public ActorRows(int actor, long epoch, Bytes rows) {
            this(actor, epoch, rows, null);
        }

        /** Of the rows, wherever they are. */
        public long bytes() {
            return staged == null ? rows.size() : staged.bytes();
        }
    }
}
