package io.uniserve.benchmark.ycsb.binding;

import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Access to the table of YCSB's rows in the language of one port. Thread-safe. */
abstract class TableAccess {
    private final String keyField;
    private final String putFunction;
    private final String deleteFunction;

    TableAccess(String keyField, String putFunction, String deleteFunction) {
        this.keyField = keyField;
        this.putFunction = putFunction;
        this.deleteFunction = deleteFunction;
    }

    final String keyField() {
        return keyField;
    }

    /** Completes the definition of a new table. */
    TableSpec spec(TableSpec spec, BindingSettings settings) {
        return spec.keyField(keyField);
    }

    /** Returns the row with this key. No fields: all. */
    abstract Optional<YcsbRow> read(ClientTable table, RowKey key, List<String> fields);

    /** Returns the first rows at or after a key, in key order. No fields: all. Fails with UNSUPPORTED if the port's language has no ranges. */
    abstract List<YcsbRow> scan(ClientTable table, RowKey from, int limit, List<String> fields);

    /** Sets fields of a row, which keeps its others. Returns false without such a row. */
    boolean update(ClientTable table, RowKey key, Map<String, String> changes) {
        Optional<YcsbRow> old = read(table, key, List.of());
        if (old.isEmpty()) {
            return false;
        }
        Map<String, String> fields = new LinkedHashMap<>(old.get().fields());
        fields.putAll(changes);
        put(table, List.of(row(key, fields)));
        return true;
    }

    /** Returns a row to store. */
    Map<String, @Nullable Object> row(RowKey key, Map<String, String> fields) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put(keyField, key.value());
        row.putAll(fields);
        return row;
    }

    /** Stores rows in place of those with their keys. */
    final void put(ClientTable table, List<Map<String, @Nullable Object>> rows) {
        table.updateDocuments(putFunction, rows).run().orThrow();
    }

    final void delete(ClientTable table, RowKey key) {
        table.updateDocuments(deleteFunction, List.of(row(key, deletedFields(key))))
                .run()
                .orThrow();
    }

    /** Fields that the row of a deletion needs beside its key. */
    Map<String, String> deletedFields(RowKey key) {
        return Map.of();
    }

    /** Returns the row of a document's fields. */
    final YcsbRow toRow(Map<String, ? extends @Nullable Object> document, List<String> fields) {
        Map<String, String> kept = new LinkedHashMap<>();
        document.forEach((name, value) -> {
            if (value != null && !name.equals(keyField) && (fields.isEmpty() || fields.contains(name))) {
                kept.put(name, value.toString());
            }
        });
        return new YcsbRow(
                RowKey.textOf(
                        Optional.<Object>ofNullable(document.get(keyField)).orElse("")),
                kept);
    }

    final List<YcsbRow> toRows(List<? extends Map<String, ? extends @Nullable Object>> documents, List<String> fields) {
        List<YcsbRow> rows = new ArrayList<>(documents.size());
        documents.forEach(document -> rows.add(toRow(document, fields)));
        return rows;
    }
}
