package io.uniserve.model.registry;

import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Definition of a table.
 *
 * @param tableId number of this table, never reused
 * @param keyField field of a document that is its partition key, e.g. {@code id}
 * @param durability place where an update must be stored before it is acknowledged
 * @param port name of the engine's port
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
    /** Table of durability LOCAL. */
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

    /** The same with another name and number. */
    public TableMeta withNameAndId(TableName otherName, long otherId) {
        return new TableMeta(
                otherName, otherId, partitioner, keyField, level, rf, minIsr, onLoss, durability, port, options);
    }

    /** The same with another durability. */
    public TableMeta with(Durability other) {
        return new TableMeta(name, tableId, partitioner, keyField, level, rf, minIsr, onLoss, other, port, options);
    }

    /** True if every acknowledged update must be in durable storage. */
    public boolean needsDurableStorage() {
        return durability == Durability.REMOTE;
    }
}
