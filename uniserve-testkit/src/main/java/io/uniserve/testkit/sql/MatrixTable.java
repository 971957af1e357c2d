package io.uniserve.testkit.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Table of the matrix.
 *
 * @param name the table's name
 * @param columns names and types, as table option {@code columns} has them; the first one is the key
 * @param actors number of actors
 * @param rows values in the order of columns: Long, Double, Boolean, or a text for decimals, texts and dates
 */
public record MatrixTable(String name, String columns, int actors, List<List<@Nullable Object>> rows) {
    public MatrixTable {
        rows = List.copyOf(rows);
    }

    /** Names of the columns, in order. */
    public List<String> names() {
        return List.of(columns.split(",(?![^(]*\\))")).stream()
                .map(column -> column.strip().split(" ", 2)[0])
                .toList();
    }

    /** The same table with other rows. */
    public MatrixTable with(List<List<@Nullable Object>> others) {
        return new MatrixTable(name, columns, actors, others);
    }
}
