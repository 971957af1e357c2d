package io.uniserve.protocol.message.client;

import io.uniserve.model.TableName;
import java.util.List;

/**
 * Consistent snapshot: versions and epochs of tables that all held at one time after the request (docs/protocol.md, section 4, STRICT).
 */
public record ConsistentSnapshot(List<Table> tables) {
    public ConsistentSnapshot {
        tables = List.copyOf(tables);
    }

    /**
     * A table at that time.
     *
     * @param version newest committed version; chunk generation of a TIME table of level EVENTUAL
     * @param epochs epoch of each actor; empty for a table of level EVENTUAL
     */
    public record Table(TableName name, long tableId, long version, List<Long> epochs) {
        public Table {
            epochs = List.copyOf(epochs);
        }
    }
}
