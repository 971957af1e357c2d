package io.uniserve.protocol.reader;

import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ReadMode;
import java.util.List;
import java.util.Optional;

/**
 * One retrieve over actors of a table.
 *
 * @param actors the actors asked, distinct; empty for all of the table's
 * @param operator {@code name@version}
 * @param deadlineNanos when to give up, on the machine's clock
 */
public record Query(
        TableName table,
        Optional<List<Integer>> actors,
        String operator,
        Bytes parameters,
        ReadMode mode,
        long deadlineNanos) {
    public Query {
        actors = actors.map(List::copyOf);
    }
}
