package io.uniserve.port.duckdb;

import io.uniserve.api.EngineFailures;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.SqlRows;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;
import org.jspecify.annotations.Nullable;

/**
 * A DuckDB in this process, to which actors attach their files: one memory limit for all of them. It has no threads of its
 * own: a query runs on the thread that asks, so that its cost is that thread's, and actors answer in parallel.
 */
final class Duck implements AutoCloseable {
    /** Calls that no row and no query can make fail. */
    static final EngineFailures DUCKDB = new EngineFailures("DuckDB", Duck::code);

    /** Calls with a user's query: what its values do is the user's doing. */
    static final EngineFailures QUERIES = new EngineFailures(
            "DuckDB",
            failure -> code(failure).isPresent()
                    ? code(failure)
                    : Optional.of(ErrorCode.INVALID_ARGUMENT)
                            .filter(code -> starts(
                                    failure,
                                    "Out of Range Error",
                                    "Conversion Error",
                                    "Invalid Input Error: division",
                                    "Invalid Input Error: More than one row")));

    /** Characters of one answer at most; what an actor may send has less bytes. */
    private static final long ANSWER_CHARS_MAX = 14L << 20;

    private final DuckDBConnection root;
    private final Optional<DuckRelations> relations;

    /**
     * Opens one in memory.
     *
     * @param scratch where it may put what does not fit into memory; none to keep all in memory
     * @param memory such as 2GB; none for DuckDB's own choice, most of the machine's
     */
    Duck(Optional<Path> scratch, Optional<String> memory) {
        Properties properties = new Properties();
        properties.setProperty("threads", "1");
        properties.setProperty("autoinstall_known_extensions", "false");
        properties.setProperty("autoload_known_extensions", "false");
        properties.setProperty("temp_directory", scratch.map(Path::toString).orElse(""));
        memory.ifPresent(limit -> properties.setProperty("memory_limit", limit));
        root = DUCKDB.translated(
                "start", () -> (DuckDBConnection) new DuckDBDriver().connect("jdbc:duckdb:", properties));
        relations = scratch.map(folder -> new DuckRelations(this, folder));
    }

    /** Where rows of other tables are kept that queries come with; only of one with room on disk. */
    DuckRelations relations() {
        return relations.orElseThrow();
    }

    private static Optional<ErrorCode> code(Throwable failure) {
        if (starts(failure, "Out of Memory Error")) {
            return Optional.of(ErrorCode.RESOURCE_EXHAUSTED);
        }
        return starts(failure, "INTERRUPT Error") ? Optional.of(ErrorCode.DEADLINE_EXCEEDED) : Optional.empty();
    }

    private static boolean starts(Throwable failure, String... kinds) {
        String message = String.valueOf(failure.getMessage());
        return failure instanceof SQLException && List.of(kinds).stream().anyMatch(message::startsWith);
    }

    /** Of the engine, such as v1.5.6. */
    static String version() {
        return DUCKDB.translated("start", () -> {
            try (Duck duck = new Duck(Optional.empty(), Optional.empty())) {
                return String.valueOf(
                        query(duck.root, "SELECT version()", 0).rows().get(0).get(0));
            }
        });
    }

    /** Another connection. */
    DuckDBConnection connect() throws SQLException {
        return root.duplicate();
    }

    /** Runs a statement without an answer. */
    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A query's answer as texts; TOO_LARGE where it is one that no actor may send. */
    static SqlRows query(Connection connection, String sql, int seconds) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(seconds);
            try (ResultSet found = statement.executeQuery(sql)) {
                int columns = found.getMetaData().getColumnCount();
                List<String> types = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    types.add(found.getMetaData().getColumnTypeName(i).replace(" ", ""));
                }
                return new SqlRows(types, rows(found, columns));
            }
        }
    }

    private static List<List<@Nullable String>> rows(ResultSet found, int columns) throws SQLException {
        List<List<@Nullable String>> rows = new ArrayList<>();
        long chars = 0;
        while (found.next()) {
            List<@Nullable String> row = new ArrayList<>(columns);
            for (int i = 1; i <= columns; i++) {
                String value = text(found.getObject(i));
                chars += value == null ? 1 : value.length() + 4;
                row.add(value);
            }
            if (chars > ANSWER_CHARS_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "the answer has more than " + ANSWER_CHARS_MAX + " characters; use WHERE, GROUP BY or LIMIT");
            }
            rows.add(Collections.unmodifiableList(row));
        }
        return rows;
    }

    private static @Nullable String text(@Nullable Object value) {
        return value instanceof BigDecimal number ? number.toPlainString() : value == null ? null : value.toString();
    }

    static String quoted(Path path) {
        return "'" + path.toString().replace("'", "''") + "'";
    }

    /** Idempotent; actors are closed before. */
    @Override
    public void close() {
        DUCKDB.translated("stop", () -> {
            root.close();
            return root;
        });
    }
}
