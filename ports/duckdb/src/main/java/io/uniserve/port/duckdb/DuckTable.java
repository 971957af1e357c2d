package io.uniserve.port.duckdb;

import static io.uniserve.port.duckdb.DuckDatabase.DUCKDB;

import io.uniserve.api.ContentDigest;
import io.uniserve.api.QueryCancellation;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.engine.CancellableJdbcExecutor;
import io.uniserve.sql.engine.PreparedStatementCache;
import io.uniserve.sql.engine.SqlActorView;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.rows.SqlRows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
    static final String SNAPSHOT_STATEMENT = "SELECT count(*) FROM " + StatementNaming.ROWS;

    private final DuckDatabase duckDatabase;
    private final String name;
    private final ColumnSchema columns;

    DuckTable(DuckDatabase duckDatabase, String name, ColumnSchema columns) {
        this.duckDatabase = duckDatabase;
        this.name = name;
        this.columns = columns;
    }

    /** Reader over a connection that sees published rows only. */
    @FunctionalInterface
    interface Reading<T> {
        T read(PreparedStatementCache by) throws SQLException;
    }

    /** Runs the reading; failures are thrown unchanged. */
    abstract <T> T read(Reading<T> reading) throws SQLException;

    /**
     * Returns the number of state changes, odd during a change. The result -1 disables cached plans: views are too short-lived for them.
     */
    long changeCount() {
        return -1;
    }

    /** Returns the cancellation for a statement that no caller waits for. */
    QueryCancellation cancellationOf(QueryCancellation asked) {
        return asked;
    }

    DuckDatabase duck() {
        return duckDatabase;
    }

    String name() {
        return name;
    }

    @Override
    public final ColumnSchema columns() {
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
        return DuckDatabase.QUERIES.call(
                "answer a query",
                () -> statement.isEmpty()
                        ? SqlRows.NOT_COLOCATED
                        : DuckRowsTableFunction.withRelations(
                                work.unpacked(),
                                with -> read(by -> work.recurs()
                                        ? by.answer(statement.get(), this::changeCount, cancellationOf(context))
                                        : CancellableJdbcExecutor.answer(
                                                by.connection(), with + statement.get(), cancellationOf(context)))));
    }

    @Override
    public final Map<Path, Long> export(ActorStatement work, Path folder, OperatorContext context) {
        String to = DuckDatabase.quote(folder) + " (FORMAT parquet, RETURN_STATS, PARTITION_BY (" + StatementNaming.SLOT
                + "))";
        return DuckDatabase.QUERIES.call(
                "cut rows",
                () -> DuckRowsTableFunction.withRelations(
                        work.unpacked(),
                        with -> read(by -> CancellableJdbcExecutor.runStatement(
                                by.connection(), cancellationOf(context), statement -> {
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
        SqlRows count = DUCKDB.call(
                "count", () -> read(by -> CancellableJdbcExecutor.answer(by.connection(), SNAPSHOT_STATEMENT)));
        return count.columns().get(0).number(0);
    }

    /** Writes the published rows into a directory. The engine writes only into its own folder, from which the file is moved. */
    public final void writeTo(Path directory) {
        DUCKDB.call(
                "write a checkpoint",
                () -> duckDatabase.withFolder(folder -> {
                    String sql = "COPY (SELECT * FROM " + StatementNaming.ROWS + ") TO "
                            + DuckDatabase.quote(folder.resolve(FILE)) + " (FORMAT parquet, COMPRESSION zstd)";
                    read(by -> {
                        DuckDatabase.execute(by.connection(), sql);
                        return directory;
                    });
                    return Files.move(
                            folder.resolve(FILE), directory.resolve(FILE), StandardCopyOption.REPLACE_EXISTING);
                }));
    }

    @Override
    public byte[] digest() {
        ContentDigest digest = new ContentDigest();
        DUCKDB.call(
                "compute the digest",
                () -> read(by -> {
                    try (Statement statement = by.connection().createStatement();
                            ResultSet rows = statement.executeQuery("SELECT * FROM " + StatementNaming.ROWS)) {
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
