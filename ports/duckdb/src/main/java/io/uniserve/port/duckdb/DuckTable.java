package io.uniserve.port.duckdb;

import static io.uniserve.port.duckdb.DuckDatabase.DUCKDB;

import io.uniserve.api.ContentDigest;
import io.uniserve.api.QueryCancellation;
import io.uniserve.api.extra.Columns;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.sql.ActorStatement;
import io.uniserve.sql.JdbcQueries;
import io.uniserve.sql.PlannedStatements;
import io.uniserve.sql.SqlActorView;
import io.uniserve.sql.SqlRows;
import io.uniserve.sql.StatementNames;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Base class of an actor and its views, as operators see them. */
abstract class DuckTable implements SqlActorView, AutoCloseable {
    /** File of a checkpoint. */
    static final String FILE = "rows.parquet";

    /** First statement of a transaction, which fixes its snapshot. */
    static final String PIN = "SELECT count(*) FROM " + StatementNames.ROWS;

    private final DuckDatabase duckDatabase;
    private final String name;
    private final Columns columns;

    DuckTable(DuckDatabase duckDatabase, String name, Columns columns) {
        this.duckDatabase = duckDatabase;
        this.name = name;
        this.columns = columns;
    }

    /** Reader over a connection that sees published rows only. */
    @FunctionalInterface
    interface Reading<T> {
        T read(PlannedStatements by) throws SQLException;
    }

    /** Runs the reading; failures are thrown unchanged. */
    abstract <T> T read(Reading<T> reading) throws SQLException;

    /**
     * Returns the number of state changes, odd during a change. The result -1 disables cached plans: views are too short-lived for them.
     */
    long state() {
        return -1;
    }

    /** Returns the cancellation for a statement that no caller waits for. */
    QueryCancellation life(QueryCancellation asked) {
        return asked;
    }

    DuckDatabase duck() {
        return duckDatabase;
    }

    String name() {
        return name;
    }

    @Override
    public final Columns columns() {
        return columns;
    }

    @Override
    public Path scratch() {
        return duckDatabase.scratch();
    }

    /** Answers a part of a query. */
    @Override
    public final SqlRows answer(ActorStatement work, OperatorContext context) {
        Optional<String> statement = work.statement(context, DuckTable.class, other -> other.name + ".main.rows");
        return DuckDatabase.QUERIES.translated(
                "answer a query",
                () -> statement.isEmpty()
                        ? SqlRows.ELSEWHERE
                        : DuckRowsTableFunction.with(
                                work.unpacked(),
                                with -> read(by -> work.recurs()
                                        ? by.answer(statement.get(), this::state, life(context))
                                        : JdbcQueries.answer(by.connection(), with + statement.get(), life(context)))));
    }

    @Override
    public final Map<Path, Long> export(ActorStatement work, Path folder, OperatorContext context) {
        String to = DuckDatabase.quoted(folder) + " (FORMAT parquet, RETURN_STATS, PARTITION_BY (" + StatementNames.SLOT
                + "))";
        return DuckDatabase.QUERIES.translated(
                "cut rows",
                () -> DuckRowsTableFunction.with(
                        work.unpacked(),
                        with -> read(by -> JdbcQueries.during(by.connection(), life(context), statement -> {
                            Map<Path, Long> rows = new HashMap<>();
                            statement.execute("COPY (" + with + work.statement() + ") TO " + to);
                            try (ResultSet files = statement.getResultSet()) {
                                while (files.next()) {
                                    rows.put(Path.of(files.getString("filename")), files.getLong("count"));
                                }
                            }
                            return rows;
                        }))));
    }

    final long count() {
        SqlRows count = DUCKDB.translated("count", () -> read(by -> JdbcQueries.answer(by.connection(), PIN)));
        return count.columns().get(0).number(0);
    }

    /** Writes the published rows into a directory. */
    public final void writeTo(Path directory) {
        String sql = "COPY (SELECT * FROM " + StatementNames.ROWS + ") TO "
                + DuckDatabase.quoted(directory.resolve(FILE)) + " (FORMAT parquet, COMPRESSION zstd)";
        DUCKDB.translated(
                "write a checkpoint",
                () -> read(by -> {
                    DuckDatabase.run(by.connection(), sql);
                    return directory;
                }));
    }

    @Override
    public byte[] digest() {
        ContentDigest digest = new ContentDigest();
        DUCKDB.translated(
                "compute the digest",
                () -> read(by -> {
                    try (Statement statement = by.connection().createStatement();
                            ResultSet rows = statement.executeQuery("SELECT * FROM " + StatementNames.ROWS)) {
                        int columns = columns().columns().size();
                        while (rows.next()) {
                            StringBuilder row = new StringBuilder();
                            for (int i = 1; i <= columns; i++) {
                                Object value = rows.getObject(i);
                                String text = String.valueOf(value);
                                row.append(value == null ? "-" : text.length() + ":" + text);
                            }
                            digest.add(row.toString());
                        }
                        return digest;
                    }
                }));
        return digest.toBytes();
    }
}
