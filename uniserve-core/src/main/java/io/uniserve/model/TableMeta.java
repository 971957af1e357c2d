package io.uniserve.model;

import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A table's definition.
 *
 * @param tableId number of this table, never used again after a drop
 * @param keyField field of a document that is its partition key, e.g. {@code id}
 * @param durability where an update must be before it is acknowledged
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
        Durability durability,
        String port,
        Map<String, String> options)
        implements RegistryValue {
    /** A table of durability LOCAL. */
    public TableMeta(
            TableName name,
            long tableId,
            Partitioner partitioner,
            String keyField,
            ConsistencyLevel level,
            int rf,
            int minIsr,
            OnLoss onLoss,
            String port,
            Map<String, String> options) {
        this(name, tableId, partitioner, keyField, level, rf, minIsr, onLoss, Durability.LOCAL, port, options);
    }

    public TableMeta {
        CodePoints.checked(ErrorCode.INVALID_ARGUMENT, "key field", keyField);
        options.forEach((option, value) -> {
            CodePoints.checked(ErrorCode.INVALID_ARGUMENT, "name of a table option", option);
            CodePoints.checked(ErrorCode.INVALID_ARGUMENT, "table option " + option, value);
        });
        options = Collections.unmodifiableMap(new TreeMap<>(options));
    }

    /** The same with other options of the port. */
    public TableMeta with(Map<String, String> others) {
        return new TableMeta(name, tableId, partitioner, keyField, level, rf, minIsr, onLoss, durability, port, others);
    }

    /** The same under another name and number. */
    public TableMeta as(TableName otherName, long otherId) {
        return new TableMeta(
                otherName, otherId, partitioner, keyField, level, rf, minIsr, onLoss, durability, port, options);
    }

    /** The same of another durability. */
    public TableMeta with(Durability other) {
        return new TableMeta(name, tableId, partitioner, keyField, level, rf, minIsr, onLoss, other, port, options);
    }

    /** True where nothing may be acknowledged that durable storage does not have. */
    public boolean remote() {
        return durability == Durability.REMOTE;
    }
}
