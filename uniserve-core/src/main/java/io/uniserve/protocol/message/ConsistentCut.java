package io.uniserve.protocol.message;

import io.uniserve.model.TableName;
import java.util.List;

/** Versions and maps of tables as they were together at one moment after the question (docs/protocol.md, section 4, STRICT). */
public record ConsistentCut(List<Table> tables) {
    public ConsistentCut {
        tables = List.copyOf(tables);
    }

    /**
     * A table at that moment.
     *
     * @param version the newest committed one
     * @param epochs of each actor
     */
    public record Table(TableName name, long tableId, long version, List<Long> epochs) {
        public Table {
            epochs = List.copyOf(epochs);
        }
    }
}
