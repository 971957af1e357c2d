package io.uniserve.protocol.reader;

import io.uniserve.codec.Bytes;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ReadMode;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One retrieve over actors of a table.
 *
 * @param actors the actors asked, distinct; empty for all of the table's
 * @param operator {@code name@version}
 * @param deadlineNanos when to give up, on the machine's clock
 * @param near where an actor is best asked first, if a replica is there
 */
public record Query(
        TableName table,
        Optional<List<Integer>> actors,
        String operator,
        Bytes parameters,
        ReadMode mode,
        long deadlineNanos,
        Map<Integer, Address> near) {
    public Query {
        actors = actors.map(List::copyOf);
        near = near.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(near));
    }

    /** One for which all replicas are alike. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos) {
        this(table, actors, operator, parameters, mode, deadlineNanos, Map.of());
    }
}
