package io.uniserve.port.duckdb;

import static io.uniserve.port.duckdb.DuckDatabase.DUCKDB;

import io.uniserve.api.ActorUsage;
import io.uniserve.api.extra.ActorFileLinker;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.ColumnType;
import io.uniserve.api.extra.RevocableActor;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.PreparedStatementCache;
import io.uniserve.sql.engine.RowActor;
import io.uniserve.sql.engine.StatementNaming;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * Actor of the DuckDB port: one table in a database file of its own. Updates are one transaction until they are published. Readers use
 * separate connections and see committed rows only.
 */
public final class DuckActor extends DuckTable implements RevocableActor<DuckTable>, RowActor {
    private static final String STAGED = "staged";
    private static final String DATABASE = "data.duckdb";

    private final Path file;
    private final DuckDBConnection writer;
    private final Deque<PreparedStatementCache> idleReaders = new ConcurrentLinkedDeque<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ReentrantLock commitLock = new ReentrantLock();
    private final AtomicLong updatedRows = new AtomicLong();
    /** Number of state changes: odd during a commit. */
    private final AtomicLong commits = new AtomicLong();

    /** Creates an empty actor in the engine's folder; {@code name} is unique within this DuckDB. */
    DuckActor(DuckDatabase duckDatabase, String name, ColumnSchema columns) throws IOException, SQLException {
        super(duckDatabase, name, columns);
        this.file =
                Files.createDirectories(duckDatabase.scratch().resolve(name)).resolve(DATABASE);
        try (DuckDBConnection first = duckDatabase.connect()) {
            DuckDatabase.execute(first, "ATTACH " + DuckDatabase.quote(file) + " AS " + name);
        }
        writer = connect();
        String definition = columns.columns().stream()
                .map(column -> "\"" + column.name() + "\" " + column.type().sqlName())
                .collect(Collectors.joining(", "));
        DuckDatabase.execute(writer, "CREATE TABLE " + StatementNaming.ROWS + " (" + definition + ")");
        DuckDatabase.execute(writer, "CREATE TEMP TABLE " + STAGED + " (" + definition + ")");
        writer.setAutoCommit(false);
    }

    private DuckDBConnection connect() throws SQLException {
        DuckDBConnection connection = duck().connect();
        DuckDatabase.execute(connection, "USE " + name());
        return connection;
    }

    /** Loads a checkpoint into an empty actor. Fails with CORRUPT if it is damaged. */
    void restore(Path checkpoint) {
        Path rows = checkpoint.resolve(FILE);
        String names =
                columns().names().stream().map(column -> "\"" + column + "\"").collect(Collectors.joining(", "));
        try {
            duck().withFolder(folder -> {
                ActorFileLinker.link(checkpoint, List.of(FILE), folder);
                DuckDatabase.execute(
                        writer,
                        "INSERT INTO " + StatementNaming.ROWS + " SELECT " + names + " FROM read_parquet("
                                + DuckDatabase.quote(folder.resolve(FILE)) + ")");
                return folder;
            });
            writer.commit();
        } catch (IOException | SQLException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "checkpoint " + rows + " is damaged: " + e.getMessage(), e);
        }
    }

    @Override
    public void put(Collection<? extends List<?>> rows) {
        DUCKDB.run("store rows", () -> {
            stage(rows);
            deleteStagedKeys();
            DuckDatabase.execute(writer, "INSERT INTO " + StatementNaming.ROWS + " SELECT * FROM " + STAGED);
        });
    }

    @Override
    public void delete(Collection<? extends List<?>> rows) {
        DUCKDB.run("delete rows", () -> {
            stage(rows);
            deleteStagedKeys();
        });
    }

    private void deleteStagedKeys() throws SQLException {
        String same = columns().primaryKey().stream()
                .map(key -> StatementNaming.ROWS + ".\"" + key + "\" = " + STAGED + ".\"" + key + "\"")
                .collect(Collectors.joining(" AND "));
        DuckDatabase.execute(writer, "DELETE FROM " + StatementNaming.ROWS + " USING " + STAGED + " WHERE " + same);
    }

    private void stage(Collection<? extends List<?>> rows) throws SQLException {
        // The statement begins a transaction. An appender alone does not, and its rows would survive a roll-back.
        DuckDatabase.execute(writer, "DELETE FROM " + STAGED);
        updatedRows.addAndGet(rows.size());
        try (DuckDBAppender appender = writer.createAppender("temp", "main", STAGED)) {
            for (List<?> row : rows) {
                appender.beginRow();
                for (int i = 0; i < row.size(); i++) {
                    append(appender, columns().columns().get(i).type().kind(), row.get(i));
                }
                appender.endRow();
            }
        }
    }

    private static void append(DuckDBAppender appender, ColumnType.Kind kind, @Nullable Object value)
            throws SQLException {
        if (value == null) {
            appender.appendNull();
        } else if (value instanceof Long number && kind == ColumnType.Kind.INTEGER) {
            appender.append(number.intValue());
        } else if (value instanceof Long number) {
            appender.append(number.longValue());
        } else if (value instanceof Double number) {
            appender.append(number.doubleValue());
        } else if (value instanceof BigDecimal number) {
            appender.append(number);
        } else if (value instanceof LocalDate day) {
            appender.append(day);
        } else if (value instanceof Boolean known) {
            appender.append(known.booleanValue());
        } else {
            appender.append((String) value);
        }
    }

    @Override
    <T> T read(Reading<T> reading) throws SQLException {
        PreparedStatementCache mine = idleReaders.poll();
        if (closed.get()) {
            if (mine != null) {
                mine.close();
            }
            throw new UniserveException(ErrorCode.UNAVAILABLE, "actor " + name() + " is closed");
        }
        PreparedStatementCache statements = mine == null ? new PreparedStatementCache(connect()) : mine;
        try {
            return reading.read(statements);
        } finally {
            idleReaders.push(statements);
            if (closed.get()) {
                closeIdle();
            }
        }
    }

    @Override
    long changeCount() {
        return commits.get();
    }

    private void closeIdle() throws SQLException {
        for (PreparedStatementCache one = idleReaders.poll(); one != null; one = idleReaders.poll()) {
            one.close();
        }
    }

    @Override
    public void publish() {
        commitLock.lock();
        try {
            commits.incrementAndGet();
            DUCKDB.run("commit", writer::commit);
        } finally {
            commits.incrementAndGet();
            commitLock.unlock();
        }
    }

    @Override
    public void revoke() {
        DUCKDB.run("roll back", writer::rollback);
    }

    @Override
    public DuckTable snapshot() {
        return DUCKDB.call("open a view", () -> new DuckView(this, connect()));
    }

    /** Runs work while commits are blocked, with the current {@link #changeCount}. */
    void runBetweenCommits(LongConsumer work) {
        commitLock.lock();
        try {
            work.accept(commits.get());
        } finally {
            commitLock.unlock();
        }
    }

    @Override
    public boolean isClosed() {
        return closed.get();
    }

    /** Number of rows in all updates so far. */
    long updatedRows() {
        return updatedRows.get();
    }

    long rowBytes() {
        ActorUsage now = usage();
        return now.diskBytes() / Math.max(1, now.rows());
    }

    /** A file is read through DuckDB's cache, so it needs as much memory as disk. */
    @Override
    public ActorUsage usage() {
        return DUCKDB.call("measure", () -> {
            Path log = file.resolveSibling(DATABASE + ".wal");
            long bytes = Files.size(file) + (Files.exists(log) ? Files.size(log) : 0);
            return new ActorUsage(count(), bytes, bytes);
        });
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        DUCKDB.call("close an actor", () -> {
            writer.close();
            closeIdle();
            try (DuckDBConnection last = duck().connect()) {
                DuckDatabase.execute(last, "DETACH " + name());
            }
            return name();
        });
    }

    @Override
    public void destroy() {
        close();
        DUCKDB.run(
                "delete " + file, () -> ActorFileLinker.delete(duck().scratch().resolve(name())));
    }
}
