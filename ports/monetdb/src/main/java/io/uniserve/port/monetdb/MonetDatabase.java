package io.uniserve.port.monetdb;

import io.uniserve.api.EngineErrorMapper;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.ConnectionPool;
import io.uniserve.sql.engine.SharedTempTableRegistry;
import io.uniserve.sql.engine.SizeLimitedAnswerBuilder;
import io.uniserve.sql.engine.SumOverflowChecker;
import io.uniserve.sql.rows.SqlRows;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import nl.cwi.monetdb.embedded.env.MonetDBEmbeddedConnection;
import nl.cwi.monetdb.embedded.env.MonetDBEmbeddedDatabase;
import nl.cwi.monetdb.embedded.env.MonetDBEmbeddedException;
import nl.cwi.monetdb.embedded.mapping.MonetDBRow;
import nl.cwi.monetdb.embedded.resultset.QueryResultSet;
import nl.cwi.monetdb.embedded.tables.MonetDBTable;
import org.jspecify.annotations.Nullable;

/**
 * Database of this process: MonetDBLite has only one, in memory. It is started on first use and ends with the process. Every statement is a
 * transaction of its own, and writing statements are exclusive: MonetDB aborts one of two that overlap, and loses rows next to readers.
 */
final class MonetDatabase {
    private static final Pattern REFUSED = Pattern.compile("syntax error|unknown|no such|cannot|needs|not supported");

    /** Errors that values cause. When a statement runs, MonetDBLite reports only that it failed. */
    private static final Pattern VALUES = Pattern.compile(
            "operation failed|(?i)too many digits|too large|overflow|exceeds limits|out of (range|domain)|P=\\d+ > |conversion of");

    /** Failures of calls that rows and queries cannot cause. */
    static final EngineErrorMapper MONETDB = new EngineErrorMapper("MonetDB", failure -> Optional.empty());

    /** Failures of calls with a user's query: SQL that MonetDB lacks is unsupported. */
    static final EngineErrorMapper QUERIES = new EngineErrorMapper(
            "MonetDB",
            failure -> Optional.of(ErrorCode.UNSUPPORTED)
                    .filter(code -> failure instanceof MonetDBEmbeddedException
                            && REFUSED.matcher(String.valueOf(failure.getMessage()))
                                    .find()));

    /** Temporary tables for rows that are sent with queries. */
    static final SharedTempTableRegistry<String> RELATIONS =
            new SharedTempTableRegistry<>(new SharedTempTableRegistry.Maker<>() {
                @Override
                public String make(SqlRows rows) throws SQLException {
                    try {
                        return load(rows);
                    } catch (MonetDBEmbeddedException e) {
                        checkValues(e); // such as an infinite double, which an actor may return
                        throw e;
                    }
                }

                @Override
                public void drop(String made) throws SQLException {
                    DB.write(connection -> connection.executeUpdate("DROP TABLE " + made.replaceFirst(".* ", "")));
                }
            });

    /** System property with the class loader that loaded the native library. */
    private static final String LOADED = "uniserve.monetdb.loaded-by";

    private static final String LOADER = MonetDBEmbeddedDatabase.class.getClassLoader() + "";
    /** Connections to the database. */
    static final ConnectionPool<MonetDBEmbeddedConnection> DB = new ConnectionPool<>(() -> {
        MonetDBEmbeddedConnection connection = MonetDBEmbeddedDatabase.createConnection();
        connection.setAutoCommit(true);
        return connection;
    });

    private static final AtomicLong NAMES = new AtomicLong();

    private MonetDatabase() {}

    /** Starts the database if it is not running. Fails with UNSUPPORTED if another copy of this port has started it. */
    static void start() {
        Object other = System.getProperties().putIfAbsent(LOADED, LOADER);
        if (other != null && !other.equals(LOADER)) {
            throw UniserveException.unsupported("a second copy of port monetdb in one process: MonetDB's library was"
                    + " loaded by another class loader; start each server with this port in a process of its own");
        }
        synchronized (MonetDatabase.class) {
            if (!MonetDBEmbeddedDatabase.isDatabaseRunning()) {
                MONETDB.call("start", () -> {
                    MonetDBEmbeddedDatabase.startDatabase(null, true, true);
                    return LOADED;
                });
            }
        }
    }

    /** Returns a unique table name. */
    static String newName(String kind) {
        return kind + "_" + NAMES.incrementAndGet();
    }

    /** Appends rows to a table as arrays. MonetDB reads no file, so byte order does not matter. */
    static void append(MonetDBEmbeddedConnection connection, String name, Object[] arrays) throws SQLException {
        try (MonetDBTable table = connection.getMonetDBTable(name)) {
            table.appendColumns(arrays);
        }
    }

    /** Creates a table of the rows. Computed values are stored, because MonetDB joins by them with a cross product. */
    private static String load(SqlRows rows) throws SQLException {
        MonetColumns columns = MonetColumns.of(rows);
        String name = newName("odd" + MonetTextCodec.oddKinds(rows.rows().toString()));
        DB.write(connection -> {
            connection.executeUpdate("CREATE TABLE " + name + " (" + columns.definition() + ")");
            if (!rows.rows().isEmpty()) {
                String staged = newName("staged");
                connection.executeUpdate("CREATE TABLE " + staged + " (" + columns.stagingDefinition() + ")");
                append(connection, staged, columns.arrays(rows.rows()));
                connection.executeUpdate(
                        "INSERT INTO " + name + " SELECT " + columns.unstagedValues() + " FROM " + staged);
                connection.executeUpdate("DROP TABLE " + staged);
            }
            return name;
        });
        return "SELECT " + columns.quotedNames() + " FROM " + name;
    }

    /** Answers a user's query. */
    static SqlRows answer(Map<String, String> relations, String statement) throws SQLException {
        try {
            return DB.read(connection -> {
                SumOverflowChecker.check(
                        statement, sql -> query(connection, MonetDialect.MONETDB.statement(relations, sql)));
                return query(connection, MonetDialect.MONETDB.statement(relations, statement));
            });
        } catch (MonetDBEmbeddedException e) {
            checkValues(e);
            throw e;
        }
    }

    /** Fails with INVALID_ARGUMENT if values caused the failure of a statement. */
    private static void checkValues(MonetDBEmbeddedException failure) {
        String told = PrintableText.line(failure.getMessage());
        if (VALUES.matcher(told).find()) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "MonetDB: the query fails on some value: a division by zero, a number out of range (of 18 digits:"
                            + " CAST to DOUBLE, or to a DECIMAL of fewer), or a text that is not a number or date: "
                            + told,
                    failure);
        }
    }

    /** Returns a query's answer as texts. Fails with TOO_LARGE if it exceeds the limit of an actor's answer. */
    static SqlRows query(MonetDBEmbeddedConnection connection, String statement) throws SQLException {
        String sql = MonetTextCodec.encode(statement);
        List<String> types;
        try (QueryResultSet found = connection.executeQuery(sql)) {
            types = types(found);
            if (types.stream().map(MonetDatabase::readableType).allMatch(String::isEmpty)) {
                return rows(found, types);
            }
        }
        try (QueryResultSet found = connection.executeQuery(readableQuery(sql, types))) {
            return rows(found, types);
        }
    }

    private static SqlRows rows(QueryResultSet found, List<String> types) throws SQLException {
        SizeLimitedAnswerBuilder rows = new SizeLimitedAnswerBuilder(types);
        int count = found.getNumberOfRows();
        SizeLimitedAnswerBuilder.check(count);
        // All rows at once, because the driver fails if the limit is one row.
        MonetDBRow[] all = count == 0
                ? new MonetDBRow[0]
                : found.fetchFirstNRowValues(count).getAllRows();
        for (int row = 0; row < count; row++) {
            List<@Nullable String> values = new ArrayList<>(types.size());
            for (int i = 0; i < types.size(); i++) {
                // The driver returns true for a BOOLEAN that is NULL.
                boolean unknown = types.get(i).equals("BOOLEAN") && found.checkBooleanIsNull(i + 1, row + 1);
                values.add(unknown ? null : MonetTextCodec.text(types.get(i), all[row].getAllColumns()[i]));
            }
            rows.add(values);
        }
        return rows.rows();
    }

    private static List<String> types(QueryResultSet found) throws SQLException {
        int columns = found.getNumberOfColumns();
        String[] names = new String[columns];
        int[] digits = new int[columns];
        int[] scales = new int[columns];
        found.getColumnTypes(names);
        found.getColumnDigits(digits);
        found.getColumnScales(scales);
        return IntStream.range(0, columns)
                .mapToObj(i -> MonetColumns.name(names[i], digits[i], scales[i]))
                .toList();
    }

    /**
     * Returns the type to which values of a type are cast before the driver reads them; empty for no cast. The driver misreads dates before
     * 1970 and decimals of nine digits.
     */
    private static String readableType(String type) {
        return type.equals("DATE")
                ? "CLOB"
                : type.startsWith(MonetColumns.MISREAD_PREFIX)
                        ? "DECIMAL(" + MonetColumns.PRECISION_MAX + ","
                                + type.substring(MonetColumns.MISREAD_PREFIX.length())
                        : "";
    }

    /** Returns a query for the same values in types that the driver reads correctly. LIMIT preserves the order of an inner query. */
    private static String readableQuery(String sql, List<String> types) {
        String columns = IntStream.range(0, types.size()).mapToObj(i -> "x" + i).collect(Collectors.joining(", "));
        String values = IntStream.range(0, types.size())
                .mapToObj(i -> readableType(types.get(i)).isEmpty()
                        ? "x" + i
                        : "CAST(x" + i + " AS " + readableType(types.get(i)) + ")")
                .collect(Collectors.joining(", "));
        String whole = sql.matches("(?s).* LIMIT \\d+( OFFSET \\d+)?") ? sql : sql + " LIMIT " + Integer.MAX_VALUE;
        return "SELECT " + values + " FROM (" + whole + ") AS readable(" + columns + ")";
    }

    /** Returns some rows of a query, for files, in the order of storage. */
    static List<List<@Nullable String>> readPage(String query, long from, int rows) throws SQLException {
        return DB.read(connection -> query(connection, query + " LIMIT " + rows + " OFFSET " + from))
                .rows();
    }
}
