package io.uniserve.port.duckdb;

import io.uniserve.sql.SqlColumn;
import io.uniserve.sql.SqlRows;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.LocalDate;
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
import org.duckdb.DuckDBLogicalType;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionBuilder;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;
import org.duckdb.DuckDBWritableVector;

/**
 * Rows of other tables that queries come with. They stay where they are, in this process's heap, and a table function reads
 * them: nothing is made or dropped for a query, and states that were fixed before it came can read them too. Safe for use by
 * several threads.
 */
final class DuckRelations implements DuckDBTableFunction<SqlRows, DuckRelations.Scan, Object> {
    private static final String FUNCTION = "uniserve_rows";
    private static final Map<Long, SqlRows> HELD = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBERS = new AtomicLong();

    /** Reads with a text to put before the statement, which gives the relations their names. */
    interface Reading<T> {
        T read(String with) throws Exception;
    }

    /** Where a reader is. */
    static final class Scan {
        private final List<SqlColumn> columns = new ArrayList<>();
        private int next;
    }

    /** Makes the function known to a DuckDB, once. */
    static void register(DuckDBConnection connection) throws SQLException {
        try (DuckDBTableFunctionBuilder function = DuckDBFunctions.tableFunction()) {
            function.withName(FUNCTION)
                    .withParameter(DuckDBColumnType.BIGINT)
                    .withProjectionPushdown()
                    .withFunction(new DuckRelations())
                    .register(connection);
        }
    }

    static <T> T with(Map<String, SqlRows> given, Reading<T> reading) throws Exception {
        List<Long> numbers = new ArrayList<>();
        List<String> with = new ArrayList<>();
        try {
            given.forEach((name, rows) -> {
                long number = NUMBERS.incrementAndGet();
                HELD.put(number, rows);
                numbers.add(number);
                with.add(name + " AS NOT MATERIALIZED (SELECT " + columns(rows) + " FROM " + FUNCTION + "(" + number
                        + "))");
            });
            return reading.read(with.isEmpty() ? "" : "WITH " + String.join(", ", with) + " ");
        } finally {
            numbers.forEach(HELD::remove);
        }
    }

    private static String columns(SqlRows rows) {
        return IntStream.range(0, rows.columns().size())
                .mapToObj(i -> {
                    String type = rows.columns().get(i).type();
                    return declared(rows.columns().get(i)).equals(type)
                            ? "c" + i
                            : "CAST(c" + i + " AS " + type + ") AS c" + i;
                })
                .collect(Collectors.joining(", "));
    }

    /** Values that are no numbers of 64 bits are texts that DuckDB reads. */
    private static String declared(SqlColumn column) {
        return column.isNumbers() ? column.type() : "VARCHAR";
    }

    /** What reads these files, for a FROM. */
    static String parquet(List<Path> files) {
        return files.stream().map(Duck::quoted).collect(Collectors.joining(", ", "read_parquet([", "])"));
    }

    @Override
    public SqlRows bind(DuckDBTableFunctionBindInfo info) throws SQLException {
        long number = info.getParameter(0).getLong();
        SqlRows rows = HELD.get(number);
        if (rows == null) {
            throw new SQLException("no rows are held as " + number);
        }
        for (int i = 0; i < rows.columns().size(); i++) {
            String type = declared(rows.columns().get(i));
            if (type.startsWith("DECIMAL")) {
                String digits = type.substring(type.indexOf('(') + 1, type.indexOf(','));
                try (DuckDBLogicalType decimal =
                        DuckDBLogicalType.decimal(Integer.parseInt(digits), SqlColumn.scale(type))) {
                    info.addResultColumn("c" + i, decimal);
                }
            } else {
                info.addResultColumn("c" + i, DuckDBColumnType.valueOf(type));
            }
        }
        info.setCardinality(rows.count(), true);
        return rows;
    }

    @Override
    public Scan init(DuckDBTableFunctionInitInfo info) {
        info.setMaxThreads(1);
        SqlRows rows = info.getBindData();
        Scan scan = new Scan();
        for (long i = 0; i < info.getColumnCount(); i++) {
            // Where only the number of rows is wanted, the column is none of these.
            int index = (int) Math.max(0, Math.min(rows.columns().size() - 1, info.getColumnIndex(i)));
            scan.columns.add(rows.columns().get(index));
        }
        return scan;
    }

    @Override
    public long apply(DuckDBTableFunctionCallInfo call, DuckDBDataChunkWriter out) {
        SqlRows rows = call.getBindData();
        Scan scan = call.getInitData();
        int from = scan.next;
        int count = (int) Math.min(out.capacity(), rows.count() - from);
        for (int i = 0; i < Math.min(out.columnCount(), scan.columns.size()); i++) {
            fill(out.vector(i), scan.columns.get(i), from, count);
        }
        scan.next = from + count;
        return count;
    }

    private static void fill(DuckDBWritableVector out, SqlColumn column, int from, int count) {
        DuckDBColumnType type = out.getType();
        int scale = type == DuckDBColumnType.DECIMAL ? SqlColumn.scale(column.type()) : 0;
        for (int i = 0; i < count; i++) {
            int row = from + i;
            if (column.isNull(row)) {
                out.setNull(i);
                continue;
            }
            if (type == DuckDBColumnType.VARCHAR) {
                out.setString(i, column.text(row));
                continue;
            }
            long number = column.number(row);
            switch (type) {
                case BIGINT -> out.setLong(i, number);
                case INTEGER -> out.setInt(i, (int) number);
                case SMALLINT -> out.setShort(i, (short) number);
                case TINYINT -> out.setByte(i, (byte) number);
                case BOOLEAN -> out.setBoolean(i, number != 0);
                case DOUBLE -> out.setDouble(i, Double.longBitsToDouble(number));
                case DATE -> out.setDate(i, LocalDate.ofEpochDay(number));
                case HUGEINT -> out.setHugeInt(i, BigInteger.valueOf(number));
                case DECIMAL -> out.setBigDecimal(i, BigDecimal.valueOf(number, scale));
                default -> throw new IllegalStateException("no numbers of type " + type);
            }
        }
    }
}
