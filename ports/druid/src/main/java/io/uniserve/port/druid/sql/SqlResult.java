package io.uniserve.port.druid.sql;

import java.util.List;

/**
 * Rows of a statement's answer. Immutable, except the arrays of values.
 *
 * @param names of the columns
 * @param types SQL types of the columns, as in INFORMATION_SCHEMA
 * @param rows one array per row, with a value per column: numbers, booleans, texts, null; times as texts in ISO 8601
 */
public record SqlResult(List<String> names, List<String> types, List<Object[]> rows) {
    public SqlResult {
        names = List.copyOf(names);
        types = List.copyOf(types);
        rows = List.copyOf(rows);
    }
}
