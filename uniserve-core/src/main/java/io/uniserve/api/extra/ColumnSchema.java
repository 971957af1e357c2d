package io.uniserve.api.extra;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Typed columns of a table, for engines with a schema. The table option {@code columns} defines them, such as {@code id bigint, name
 * varchar, price decimal(15,2)}. The option {@code primary} names the primary key columns, among them the table's key field; the default is
 * the key field alone. Immutable.
 *
 * <pre>{@code
 * public void validate(TableMeta meta) {
 *     Columns.of(meta); // INVALID_ARGUMENT if an option is wrong
 * }
 *
 * void insert(Document row) {
 *     bind(columns.values(row)); // INVALID_ROW if a field is wrong
 * }
 * }</pre>
 *
 * @param columns in order, with distinct names
 * @param primaryKey names of the primary key columns
 */
public record ColumnSchema(List<Column> columns, List<String> primaryKey) {
    /** Table option with names and types of columns. */
    public static final String OPTION = "columns";

    /** Table option with names of the primary key columns. */
    public static final String OPTION_PRIMARY = "primary";

    /** Maximum number of columns. */
    public static final int COLUMNS_MAX = 1_000;

    private static final Pattern COLUMN = Pattern.compile("\\s*([a-z_][a-z0-9_]{0,62})\\s+(\\S.*)");
    private static final Pattern COMMA = Pattern.compile(",(?![^(]*\\))");

    /** Column of a table. Its name has lower case letters, digits and underscores. */
    public record Column(String name, ColumnType type) {}

    public ColumnSchema {
        columns = List.copyOf(columns);
        primaryKey = List.copyOf(primaryKey);
    }

    /** Returns whether the table has typed columns. */
    public static boolean isDefinedBy(TableMeta meta) {
        return meta.options().containsKey(OPTION);
    }

    /**
     * Reads the columns of a table.
     *
     * @throws UniserveException INVALID_ARGUMENT with the option's name, if it is missing or wrong
     */
    public static ColumnSchema of(TableMeta meta) {
        String text = meta.options().get(OPTION);
        if (text == null) {
            throw UniserveException.invalid("table option columns is missing: give names and types, such as \""
                    + meta.keyField() + " varchar, price decimal(15,2)\"");
        }
        Map<String, Column> columns = new LinkedHashMap<>();
        for (String part : COMMA.split(text, -1)) {
            Column column = parseColumn(part);
            if (columns.put(column.name(), column) != null) {
                throw UniserveException.invalid("table option columns names \"" + column.name() + "\" twice");
            }
        }
        if (columns.size() > COLUMNS_MAX) {
            throw UniserveException.invalid(
                    "table option columns has " + columns.size() + " columns, at most " + COLUMNS_MAX);
        }
        return new ColumnSchema(List.copyOf(columns.values()), parsePrimaryKey(meta, columns));
    }

    private static Column parseColumn(String part) {
        Matcher column = COLUMN.matcher(part);
        if (!column.matches()) {
            throw UniserveException.invalid(
                    "table option columns: \"" + part.strip()
                            + "\" is no column: use a name of small letters, digits and underscores, and a type, with commas between columns");
        }
        try {
            return new Column(column.group(1), ColumnType.parse(column.group(2)));
        } catch (UniserveException e) {
            throw new UniserveException(
                    e.code(), "table option columns, column \"" + column.group(1) + "\": " + e.reason(), e);
        }
    }

    private static List<String> parsePrimaryKey(TableMeta meta, Map<String, Column> columns) {
        Column key = columns.get(meta.keyField());
        if (key == null
                || !Set.of(ColumnType.Kind.BIGINT, ColumnType.Kind.INTEGER, ColumnType.Kind.VARCHAR)
                        .contains(key.type().kind())) {
            throw UniserveException.invalid("table option columns: the key field \"" + meta.keyField()
                    + "\" must be a column of type bigint, integer or varchar");
        }
        String text = meta.options().getOrDefault(OPTION_PRIMARY, meta.keyField());
        Set<String> primary = new TreeSet<>();
        for (String name : text.split(",", -1)) {
            if (!columns.containsKey(name.strip()) || !primary.add(name.strip())) {
                throw UniserveException.invalid("table option primary: \"" + name.strip()
                        + "\" is no column, or is there twice; use names of columns with commas between");
            }
        }
        if (!primary.contains(meta.keyField())) {
            throw UniserveException.invalid("table option primary must name the key field \"" + meta.keyField()
                    + "\" too: rows are told apart within one actor");
        }
        return List.copyOf(primary);
    }

    /** Names in the order of columns. */
    public List<String> names() {
        return columns.stream().map(Column::name).toList();
    }

    /**
     * Returns the values of a row in the order of columns, converted by {@link ColumnType#toColumnValue}; null for a missing value.
     *
     * @throws UniserveException INVALID_ROW with the field, if it is unknown, has another type, or is a missing primary key column
     */
    public List<@Nullable Object> values(Document row) {
        List<@Nullable Object> values = new ArrayList<>(columns.size());
        int known = 0;
        for (Column column : columns) {
            Object value = row.fields().get(column.name());
            known += value != null || row.fields().containsKey(column.name()) ? 1 : 0;
            if (value == null && primaryKey.contains(column.name())) {
                throw invalidRow(row, "field \"" + column.name() + "\" is missing; it tells rows apart", null);
            }
            try {
                values.add(value == null ? null : column.type().toColumnValue(value));
            } catch (IllegalArgumentException e) {
                throw invalidRow(row, "field \"" + column.name() + "\": " + e.getMessage(), e);
            }
        }
        if (known < row.fields().size()) {
            Set<String> unknown = new TreeSet<>(row.fields().keySet());
            unknown.removeAll(names());
            throw invalidRow(
                    row, "field \"" + unknown.iterator().next() + "\" is no column of the table; remove it", null);
        }
        return values;
    }

    /**
     * Returns the primary key of a row.
     *
     * @param values result of {@link #values}
     */
    public List<Object> keyValues(List<@Nullable Object> values) {
        List<Object> key = new ArrayList<>(primaryKey.size());
        for (int i = 0; i < columns.size(); i++) {
            Object value = values.get(i);
            if (value != null && primaryKey.contains(columns.get(i).name())) {
                key.add(value);
            }
        }
        return key;
    }

    /**
     * Returns the primary key of a row without checking its other fields.
     *
     * @throws UniserveException INVALID_ROW, as for {@link #values}
     */
    public List<Object> keyValues(Document row) {
        List<Object> key = new ArrayList<>(primaryKey.size());
        for (Column column : columns) {
            if (primaryKey.contains(column.name())) {
                Object value = row.fields().get(column.name());
                if (value == null) {
                    throw invalidRow(row, "field \"" + column.name() + "\" is missing; it tells rows apart", null);
                }
                try {
                    key.add(column.type().toColumnValue(value));
                } catch (IllegalArgumentException e) {
                    throw invalidRow(row, "field \"" + column.name() + "\": " + e.getMessage(), e);
                }
            }
        }
        return key;
    }

    /**
     * Converts a row of texts, as in a CSV file, to a document. An empty text is a missing value.
     *
     * @throws UniserveException INVALID_ROW with the column
     */
    public Document parseRow(String keyField, List<String> names, List<String> texts) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            if (!texts.get(i).isEmpty()) {
                fields.put(names.get(i), parseValue(i + 1, names.get(i), texts.get(i)));
            }
        }
        return new Document(keyField, fields);
    }

    private Object parseValue(int number, String name, String text) {
        Column column = findColumn(number - 1, name);
        try {
            return column.type().parseText(text);
        } catch (IllegalArgumentException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW, "column " + number + " (" + name + "): " + e.getMessage(), e);
        }
    }

    /** Tries the column at the same position first: files usually have the order of the table. */
    private Column findColumn(int likely, String name) {
        if (likely < columns.size() && columns.get(likely).name().equals(name)) {
            return columns.get(likely);
        }
        return columns.stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid("\"" + name + "\" is no column of the table"));
    }

    private static UniserveException invalidRow(Document row, String problem, @Nullable Throwable cause) {
        return new UniserveException(
                ErrorCode.INVALID_ROW, "row " + row.fields().get(row.keyField()) + ": " + problem, cause);
    }
}
