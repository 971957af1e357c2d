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
 * @param beside other tables of the same partitioner, whose actors the operator looks for beside its own
 * @param sameCopies whether the client's queries ask the same copies while these are alive, as the answer may depend on the copy
 */
public record Query(
        TableName table,
        Optional<List<Integer>> actors,
        String operator,
        Bytes parameters,
        ReadMode mode,
        long deadlineNanos,
        Map<Integer, Address> near,
        ColocatedTables beside,
        boolean sameCopies) {
    public Query {
        actors = actors.map(List::copyOf);
        near = near.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(near));
    }

    /** One whose answer does not depend on the copies. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos,
            Map<Integer, Address> near,
            ColocatedTables beside) {
        this(table, actors, operator, parameters, mode, deadlineNanos, near, beside, false);
    }

    /** The same, of the same copies while they are alive, or of any. */
    public Query ofSameCopies(boolean same) {
        return same == sameCopies
                ? this
                : new Query(table, actors, operator, parameters, mode, deadlineNanos, near, beside, same);
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

    /** One by itself. */
    public Query(
            TableName table,
            Optional<List<Integer>> actors,
            String operator,
            Bytes parameters,
            ReadMode mode,
            long deadlineNanos,
            Map<Integer, Address> near) {
        this(table, actors, operator, parameters, mode, deadlineNanos, near, ColocatedTables.NONE);
    }
}
