package io.uniserve.protocol.client.update;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.model.TableName;
import java.util.List;

/**
 * One update, with rows that are already partitioned by actor.
 *
 * @param tableId number of the table that the rows were partitioned for
 * @param function {@code name@version}
 * @param batches one per actor with rows
 * @param deadlineNanos deadline by the machine's clock
 */
public record Update(
        TableName table, long tableId, String function, AckLevel level, List<ActorBatch> batches, long deadlineNanos) {
    public Update {
        batches = List.copyOf(batches);
    }

    /**
     * Rows of one actor.
     *
     * @param count number of rows
     * @param rows number of rows, then the rows, in the format of {@link io.uniserve.codec.Codecs#list}
     */
    public record ActorBatch(int actor, int count, Bytes rows) {
        public ActorBatch {
            if (rows.size() > Limits.BATCH_BYTES_MAX || count > Limits.BATCH_ROWS_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "actor " + actor + " gets " + count + " rows of " + rows.size()
                                + " bytes in one update, at most " + Limits.BATCH_ROWS_MAX + " rows of "
                                + Limits.BATCH_BYTES_MAX + " bytes; send them in several updates");
            }
        }
    }
}
