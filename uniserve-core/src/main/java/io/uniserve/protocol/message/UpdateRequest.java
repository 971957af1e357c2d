package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import java.util.List;

/**
 * One server's share of an eventual update: rows of each actor whose primary it is; or a whole atomic update, for the server
 * that drives it.
 *
 * @param lowWater the client's smallest unfinished sequence; of an atomic update a version that was committed before the
 *     request was first sent, 0 where that is not known
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
        long remainingNanos) {
    public UpdateRequest {
        actors = List.copyOf(actors);
    }

    /** Rows for one actor: a count, then each row by its codec (see {@code io.uniserve.codec.Codecs#list}). */
    public record ActorRows(int actor, long epoch, Bytes rows) {}
}
