package io.uniserve.api;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;

/**
 * Row of a table. Its partition key selects the actor. Most ports use {@link Document}; a port may define its own class with a
 * {@link io.uniserve.codec.Codec}, which clients then need as well. Rows should be immutable.
 *
 * <pre>{@code
 * record Count(String key, long count) implements Row {
 *     public PartitionKey partitionKey() {
 *         return PartitionKey.of(key);
 *     }
 * }
 * }</pre>
 */
public interface Row {
    /**
     * The partition key.
     *
     * @throws io.uniserve.error.UniserveException INVALID_ROW if the row has no valid key
     */
    PartitionKey partitionKey();

    /**
     * Time of the row, in milliseconds since 1970, for tables that are partitioned by time. The default has none.
     *
     * @param column the table's time column
     * @throws io.uniserve.error.UniserveException INVALID_ROW if the row has no valid time
     */
    default long time(String column) {
        throw new UniserveException(
                ErrorCode.INVALID_ROW,
                "rows of " + getClass().getSimpleName() + " have no time column \"" + column
                        + "\": use Documents, or define Row.time in the class");
    }

    /**
     * Number of the actor that the row belongs to.
     *
     * @throws io.uniserve.error.UniserveException INVALID_ROW if the row has no valid key, or no valid time for a TIME table
     */
    default int actor(Partitioner partitioner) {
        return partitioner instanceof Partitioner.Time time
                ? time.actorOf(time(time.column()), partitionKey())
                : partitioner.actorOf(partitionKey());
    }
}
