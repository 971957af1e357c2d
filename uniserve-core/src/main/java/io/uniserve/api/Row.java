package io.uniserve.api;

import io.uniserve.model.PartitionKey;

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
}
