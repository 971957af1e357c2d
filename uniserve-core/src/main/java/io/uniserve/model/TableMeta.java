package io.uniserve.model;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A table's definition.
 *
 * @param tableId number of this table, never used again after a drop
 * @param keyField field of a document that is its partition key, e.g. {@code id}
 * @param port the engine's port
 * @param options options of the port, sorted by name
 */
public record TableMeta(
        TableName name,
        long tableId,
        Partitioner partitioner,
        String keyField,
        ConsistencyLevel level,
        int rf,
        int minIsr,
        OnLoss onLoss,
        String port,
        Map<String, String> options)
        implements RegistryValue {
    public TableMeta {
        options = Collections.unmodifiableMap(new TreeMap<>(options));
    }

    /** The same with other options of the port. */
    public TableMeta with(Map<String, String> others) {
        return new TableMeta(name, tableId, partitioner, keyField, level, rf, minIsr, onLoss, port, others);
    }
}
