package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import java.util.List;

/**
 * One server's share of a query: all its actors in one request.
 *
 * @param tableId the table the client planned with; another id is TABLE_NOT_FOUND
 * @param remainingNanos time until the deadline when sent, more than 0
 * @param together all actors that the query asks, in ascending order, told to one server of every {@link
 *     io.uniserve.limit.Limits#SHARD_SET_SAMPLE}th query for its statistics; else empty
 */
public record ReadRequest(
        TableName table,
        long tableId,
        List<Target> targets,
        String operator,
        Bytes parameters,
        long queryHigh,
        long queryLow,
        int attempt,
        long remainingNanos,
        ReadMode mode,
        List<Integer> together) {
    public ReadRequest {
        targets = List.copyOf(targets);
        together = List.copyOf(together);
    }

    /** One that tells nothing for statistics. */
    public ReadRequest(
            TableName table,
            long tableId,
            List<Target> targets,
            String operator,
            Bytes parameters,
            long queryHigh,
            long queryLow,
            int attempt,
            long remainingNanos,
            ReadMode mode) {
        this(
                table,
                tableId,
                targets,
                operator,
                parameters,
                queryHigh,
                queryLow,
                attempt,
                remainingNanos,
                mode,
                List.of());
    }

    /**
     * An actor asked for.
     *
     * @param epoch the epoch in the client's map
     * @param floorIndex the replica must have applied this log index (read your writes); 0 for none
     */
    public record Target(int actor, long epoch, long floorIndex) {}
}
