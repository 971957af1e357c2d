package io.uniserve.port.duckdb;

import io.uniserve.sql.rows.SqlColumn;
import io.uniserve.sql.rows.SqlRows;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionBuilder;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;
import org.duckdb.DuckDBWritableVector;

/**
 * Table function that lets DuckDB read rows of other tables from this process's heap. Nothing is created or dropped per query, and
 * transactions that are older than the rows can read them too. Thread-safe.
 */
final class DuckRowsTableFunction implements DuckDBTableFunction<SqlRows, DuckRowsTableFunction.ScanState, Object> {
    private static final String FUNCTION = "uniserve_rows";
    /** Maximum scale of decimals that are passed as whole numbers: those have 19 digits, and 38 with the unit's digits. */
    private static final int SCALE_MAX = 18;

    private static final Map<Long, SqlRows> ROWS_BY_NUMBER = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBERS = new AtomicLong();

    /** Reader that gets a text to put before the statement; it defines the relations. */
    interface Reading<T> {
        T read(String with) throws Exception;
    }

    /** Position of a reader. */
    static final class ScanState {
        private final List<SqlColumn> columns = new ArrayList<>();
        private int next;
    }

    /** Registers the function with a DuckDB, once. */
    static void register(DuckDBConnection connection) throws SQLException {
        try (DuckDBTableFunctionBuilder function = DuckDBFunctions.tableFunction()) {
            function.withName(FUNCTION)
                    .withParameter(DuckDBColumnType.BIGINT)
                    .withProjectionPushdown()
                    .withFunction(new DuckRowsTableFunction())
                    .register(connection);
        }
    }

    static <T> T withRelations(Map<String, SqlRows> given, Reading<T> reading) throws Exception {
        List<Long> numbers = new ArrayList<>();
        List<String> with = new ArrayList<>();
        try {
            given.forEach((name, rows) -> {
                long number = NUMBERS.incrementAndGet();
                ROWS_BY_NUMBER.put(number, rows);
                numbers.add(number);
                with.add(name + " AS NOT MATERIALIZED (SELECT " + columns(rows) + " FROM " + FUNCTION + "(" + number
                        + "))");
            });
            return reading.read(with.isEmpty() ? "" : "WITH " + String.join(", ", with) + " ");
        } finally {
            numbers.forEach(ROWS_BY_NUMBER::remove);
        }
    }

    private static String columns(SqlRows rows) {
        return IntStream.range(0, rows.columns().size())
                .mapToObj(i -> {
                    SqlColumn column = rows.columns().get(i);
                    return declaredType(column).name().equals(column.type())
                            ? "c" + i
                            : value(column, "c" + i) + " AS c" + i;
                })
                .collect(Collectors.joining(", "));
    }

    /**
     * Returns the declared type. Values that are not numbers of 64 bits are passed as texts; types that are made of whole numbers are
     * passed as these.
     */
    private static DuckDBColumnType declaredType(SqlColumn column) {
        if (!column.isNumbers()) {
            return DuckDBColumnType.VARCHAR;
        }
        return switch (column.type()) {
            case "BIGINT", "INTEGER", "SMALLINT", "TINYINT", "BOOLEAN", "DOUBLE" ->
                DuckDBColumnType.valueOf(column.type());
            case "DATE" -> DuckDBColumnType.INTEGER;
            case "HUGEINT" -> DuckDBColumnType.BIGINT;
            default -> SqlColumn.scale(column.type()) <= SCALE_MAX ? DuckDBColumnType.BIGINT : DuckDBColumnType.VARCHAR;
        };
    }

    /** Returns the expression that converts a declared value; DuckDB evaluates it by vector. */
    private static String value(SqlColumn column, String name) {
        String type = column.type();
        if (column.isNumbers() && type.equals("DATE")) {
            return "CAST(DATE '1970-01-01' + " + name + " AS DATE)";
        }
        int scale = column.isNumbers() && type.startsWith("DECIMAL") ? SqlColumn.scale(type) : 0;
        if (scale == 0 || scale > SCALE_MAX) {
            return "CAST(" + name + " AS " + type + ")";
        }
        String unit = "CAST('" + BigDecimal.valueOf(1, scale).toPlainString() + "' AS DECIMAL(" + (scale + 1) + ","
                + scale + "))";
        return "CAST(CAST(" + name + " AS DECIMAL(19,0)) * " + unit + " AS " + type + ")";
    }

    /** Returns the relation over these files, for FROM. */
    static String parquet(List<Path> files) {
        return files.stream().map(DuckDatabase::quote).collect(Collectors.joining(", ", "read_parquet([", "])"));
    }

    @Override
    public SqlRows bind(DuckDBTableFunctionBindInfo info) throws SQLException {
        long number = info.getParameter(0).getLong();
        SqlRows rows = ROWS_BY_NUMBER.get(number);
        if (rows == null) {
            throw new SQLException("there are no rows with number " + number);
        }
        for (int i = 0; i < rows.columns().size(); i++) {
            info.addResultColumn("c" + i, declaredType(rows.columns().get(i)));
        }
        info.setCardinality(rows.count(), true);
        return rows;
    }

    @Override
    public ScanState init(DuckDBTableFunctionInitInfo info) {
        info.setMaxThreads(1);
        SqlRows rows = info.getBindData();
        ScanState scan = new ScanState();
        for (long i = 0; i < info.getColumnCount(); i++) {
            // If only the number of rows is needed, the index is not that of a column.
            int index = (int) Math.max(0, Math.min(rows.columns().size() - 1, info.getColumnIndex(i)));
            scan.columns.add(rows.columns().get(index));
        }
        return scan;
    }

    @Override
    public long apply(DuckDBTableFunctionCallInfo call, DuckDBDataChunkWriter out) {
        SqlRows rows = call.getBindData();
        ScanState scan = call.getInitData();
        int from = scan.next;
        int count = (int) Math.min(out.capacity(), rows.count() - from);
        for (int i = 0; i < Math.min(out.columnCount(), scan.columns.size()); i++) {
            fill(out.vector(i), scan.columns.get(i), from, count);
        }
        scan.next = from + count;
        return count;
    }

    private static void fill(DuckDBWritableVector out, SqlColumn column, int from, int count) {
        switch (out.getType()) {
            case BIGINT -> fill(out, column, from, count, out::setLong);
            case INTEGER -> fill(out, column, from, count, (row, number) -> out.setInt(row, (int) number));
            case SMALLINT -> fill(out, column, from, count, (row, number) -> out.setShort(row, (short) number));
            case TINYINT -> fill(out, column, from, count, (row, number) -> out.setByte(row, (byte) number));
            case BOOLEAN -> fill(out, column, from, count, (row, number) -> out.setBoolean(row, number != 0));
            case DOUBLE ->
                fill(out, column, from, count, (row, number) -> out.setDouble(row, Double.longBitsToDouble(number)));
            default -> {
                for (int i = 0; i < count; i++) {
                    String text = column.text(from + i);
                    if (text == null) {
                        out.setNull(i);
                    } else {
                        out.setString(i, text);
                    }
                }
            }
        }
    }

    private interface Setter {
        void set(long row, long number);
    }

    private static void fill(DuckDBWritableVector out, SqlColumn column, int from, int count, Setter setter) {
        for (int i = 0; i < count; i++) {
            if (column.isNull(from + i)) {
                out.setNull(i);
            } else {
                setter.set(i, column.number(from + i));
            }
        }
    }
}
