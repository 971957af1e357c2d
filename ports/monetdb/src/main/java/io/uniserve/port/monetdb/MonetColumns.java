package io.uniserve.port.monetdb;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.api.extra.ColumnType.Kind;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.SqlTableValidator;
import io.uniserve.sql.rows.SqlColumn;
import io.uniserve.sql.rows.SqlRows;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import nl.cwi.monetdb.embedded.mapping.NullMappings;
import org.jspecify.annotations.Nullable;

/** Columns in the form of MonetDB: types, and values as arrays for loading. MonetDB never reads files. */
record MonetColumns(List<String> names, List<ColumnType> types) {
    /** Maximum digits of a decimal: MonetDBLite has no integers of 128 bits. */
    static final int PRECISION_MAX = 18;

    /** Prefix of types for which the driver reads and writes 64 bits per value, but MonetDB has 32. */
    static final String MISREAD_PREFIX = "DECIMAL(9,";

    static MonetColumns of(ColumnSchema columns) {
        return new MonetColumns(
                columns.names(),
                columns.columns().stream().map(ColumnSchema.Column::type).toList());
    }

    /** Returns the columns c0, c1, ... of rows as in {@link MonetDatabase#query}. */
    static MonetColumns of(SqlRows rows) {
        List<ColumnType> types = SqlTableValidator.columnTypes(rows.types());
        return new MonetColumns(
                IntStream.range(0, types.size()).mapToObj(i -> "c" + i).toList(),
                IntStream.range(0, types.size())
                        .mapToObj(i -> wideEnough(types.get(i), rows.columns().get(i)))
                        .toList());
    }

    /** Returns a type that can hold the values: a sum of decimals may have more digits than MonetDB reports. */
    private static ColumnType wideEnough(ColumnType type, SqlColumn values) {
        if (type.kind() != Kind.DECIMAL) {
            return type;
        }
        int digits = IntStream.range(0, values.count())
                .mapToObj(values::text)
                .filter(text -> text != null && text.length() > type.precision())
                .mapToInt(text -> new BigDecimal("" + text).precision())
                .reduce(type.precision(), Math::max);
        return new ColumnType(Kind.DECIMAL, Math.min(digits, PRECISION_MAX), type.scale());
    }

    /** Returns the type's name in answers and in this module's statements, by MonetDB's name. */
    static String name(String monets, int digits, int scale) {
        return switch (monets.toLowerCase(Locale.ROOT)) {
            case "tinyint", "smallint", "int", "integer" -> "INTEGER";
            case "bigint", "wrd", "oid" -> "BIGINT";
            case "decimal" -> "DECIMAL(" + digits + "," + scale + ")";
            case "double", "real" -> "DOUBLE";
            case "char", "varchar", "clob" -> "VARCHAR";
            case "date" -> "DATE";
            case "boolean" -> "BOOLEAN";
            default -> throw UniserveException.unsupported("MonetDB: unsupported value type " + monets);
        };
    }

    /** Fails with INVALID_ARGUMENT if MonetDB does not support a column. */
    void check() {
        for (int i = 0; i < types.size(); i++) {
            if (types.get(i).precision() > PRECISION_MAX) {
                throw UniserveException.invalid("table option columns, column " + quoted(i)
                        + ": a decimal of port monetdb has at most " + PRECISION_MAX + " digits");
            }
        }
    }

    /** Fails with INVALID_ROW for the numbers that MonetDB interprets as NULL, and for texts that it cannot store. */
    void checkRow(List<?> values) {
        for (int i = 0; i < types.size(); i++) {
            Object value = values.get(i);
            if (value instanceof String text && !MonetTextCodec.fits(text)) {
                throw new UniserveException(
                        ErrorCode.INVALID_ROW,
                        "field \"" + names.get(i)
                                + "\": MonetDB cannot store a text with U+0000 or one of U+E000 to U+E7FF");
            }
            if ((is(i, Kind.BIGINT) && Long.valueOf(Long.MIN_VALUE).equals(value))
                    || (is(i, Kind.INTEGER) && Long.valueOf(Integer.MIN_VALUE).equals(value))) {
                throw new UniserveException(
                        ErrorCode.INVALID_ROW,
                        "field \"" + names.get(i) + "\": " + value + " is MonetDB's NULL; the smallest number is "
                                + ((Long) value + 1));
            }
        }
    }

    /** Returns the names for SELECT. */
    String quotedNames() {
        return forEachColumn(i -> quoted(i));
    }

    private String quoted(int i) {
        return "\"" + names.get(i) + "\"";
    }

    private String forEachColumn(IntFunction<String> text) {
        return IntStream.range(0, names.size()).mapToObj(text).collect(Collectors.joining(", "));
    }

    /** Returns the definition for CREATE TABLE. */
    String definition() {
        return forEachColumn(i ->
                quoted(i) + " " + (is(i, Kind.VARCHAR) ? "CLOB" : types.get(i).sqlName()));
    }

    private boolean is(int i, Kind... kinds) {
        return List.of(kinds).contains(types.get(i).kind());
    }

    /**
     * Returns the definition of a table that is filled with arrays. Dates are texts in it, because the driver stores NULL for all dates.
     * Decimals have the maximum digits, because the driver writes 64 bits for a decimal of nine digits, for which MonetDB has 32.
     */
    String stagingDefinition() {
        return forEachColumn(i -> quoted(i) + " "
                + (is(i, Kind.VARCHAR, Kind.DATE)
                        ? "CLOB"
                        : is(i, Kind.DECIMAL) ? widest(i) : types.get(i).sqlName()));
    }

    private String widest(int i) {
        return "DECIMAL(" + PRECISION_MAX + "," + types.get(i).scale() + ")";
    }

    /** Returns the expressions that convert a staging table's rows. */
    String unstagedValues() {
        return forEachColumn(i -> unstagedValues(i, "") + " AS " + quoted(i));
    }

    /**
     * Returns the value of a staged column. The driver marks numbers as free of NULL or sorted, even if they are not; IS NULL, joins and
     * groups would then be wrong. A computed value has its own marks. A sum also turns minus zero into zero, which MonetDB's groups
     * distinguish.
     */
    private String unstagedValues(int i, String prefix) {
        String value = prefix + quoted(i);
        String type = types.get(i).sqlName();
        return switch (types.get(i).kind()) {
            case VARCHAR -> value;
            case DATE -> "CAST(" + value + " AS DATE)";
            case BOOLEAN -> "(" + value + " = TRUE)";
            case DECIMAL -> "CAST((" + value + " + CAST(0 AS " + widest(i) + ")) AS " + type + ")";
            default -> "CAST((" + value + " + CAST(0 AS " + type + ")) AS " + type + ")";
        };
    }

    /**
     * Returns a condition that rows of a table and a staged one have the same values in these columns, as one equality: see {@link
     * MonetDialect#equal}.
     */
    String equalCondition(List<String> columns, String staged, String table) {
        return columns.stream()
                .map(names::indexOf)
                .map(i -> {
                    String left = unstagedValues(i, staged + ".");
                    String right = table + "." + quoted(i);
                    return columns.get(0).equals(names.get(i)) ? left + " = " + right : MonetDialect.equal(left, right);
                })
                .collect(Collectors.joining(" AND "));
    }

    /** Converts rows to one array per column; values may be texts, as in answers. */
    Object[] arrays(Collection<? extends List<?>> rows) {
        Object[] arrays = new Object[types.size()];
        for (int i = 0; i < arrays.length; i++) {
            int column = i;
            List<? extends @Nullable Object> values =
                    rows.stream().map(row -> row.get(column)).toList();
            arrays[i] = array(types.get(i), values);
        }
        return arrays;
    }

    private static Object array(ColumnType type, List<? extends @Nullable Object> values) {
        return switch (type.kind()) {
            case BIGINT ->
                values.stream()
                        .mapToLong(value ->
                                value == null ? NullMappings.getLongNullConstant() : Long.parseLong("" + value))
                        .toArray();
            case INTEGER ->
                values.stream()
                        .mapToInt(value ->
                                value == null ? NullMappings.getIntNullConstant() : Integer.parseInt("" + value))
                        .toArray();
            case DOUBLE ->
                values.stream()
                        .mapToDouble(value ->
                                value == null ? NullMappings.getDoubleNullConstant() : Double.parseDouble("" + value))
                        .toArray();
            case DECIMAL ->
                values.stream()
                        .map(value -> value == null || value instanceof BigDecimal
                                ? value
                                : new BigDecimal("" + value).setScale(type.scale()))
                        .toArray(BigDecimal[]::new);
            case BOOLEAN -> booleans(values);
            case DATE -> values.stream().map(MonetTextCodec::day).toArray(String[]::new);
            default ->
                values.stream()
                        .map(value -> value == null ? null : MonetTextCodec.encode(value.toString()))
                        .toArray(String[]::new);
        };
    }

    private static byte[] booleans(List<? extends @Nullable Object> values) {
        byte[] truths = new byte[values.size()];
        for (int i = 0; i < truths.length; i++) {
            String value = String.valueOf(values.get(i));
            truths[i] = value.equals("null")
                    ? NullMappings.getBooleanNullConstant()
                    : (byte) (value.equals("true") ? 1 : 0);
        }
        return truths;
    }
}
