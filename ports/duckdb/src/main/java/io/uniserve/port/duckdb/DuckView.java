package io.uniserve.port.duckdb;

import static io.uniserve.port.duckdb.DuckDatabase.DUCKDB;

import io.uniserve.api.ActorUsage;
import io.uniserve.api.QueryCancellation;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.CancellableJdbcExecutor;
import io.uniserve.sql.engine.PreparedStatementCache;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.duckdb.DuckDBConnection;

/**
 * Snapshot of an actor: a transaction that is open as long as the view. Its readers take turns. A query that fails ends the transaction,
 * and DuckDB cannot restore its snapshot. If there was no commit since, the view begins another transaction; otherwise it is lost.
 */
final class DuckView extends DuckTable {
    private final DuckActor actor;
    private final PreparedStatementCache statements;
    private final long updatedRowsAtStart;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile long commits;
    private long rows;
    private boolean closed;

    DuckView(DuckActor actor, DuckDBConnection connection) throws SQLException {
        super(actor.duck(), actor.name(), actor.columns());
        this.actor = actor;
        this.statements = new PreparedStatementCache(connection);
        this.updatedRowsAtStart = actor.updatedRows();
        connection.setAutoCommit(false);
        actor.runBetweenCommits(now -> {
            commits = now;
            rows = count();
        });
    }

    @Override
    <T> T read(Reading<T> reading) throws SQLException {
        lock.lock();
        try {
            if (closed) {
                throw new UniserveException(
                        ErrorCode.VERSION_GONE,
                        "a query failed on this snapshot of actor " + name() + ", which is lost");
            }
            return reading.read(statements);
        } catch (SQLException e) {
            restartTransaction();
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** A cancelled statement would destroy a snapshot that other readers still need. */
    @Override
    QueryCancellation cancellationOf(QueryCancellation asked) {
        return asked.stoppableWhile(() -> actor.changeCount() == commits);
    }

    private void restartTransaction() throws SQLException {
        statements.connection().rollback();
        actor.runBetweenCommits(now -> {
            closed = now != commits;
            if (!closed) {
                DUCKDB.call(
                        "open a view",
                        () -> CancellableJdbcExecutor.answer(statements.connection(), SNAPSHOT_STATEMENT));
            }
        });
    }

    /** Rows that were replaced since are retained for this view. */
    @Override
    public ActorUsage usage() {
        long kept = Math.min(rows, actor.updatedRows() - updatedRowsAtStart);
        return new ActorUsage(rows, kept * actor.rowBytes(), 0);
    }

    @Override
    public void close() {
        DUCKDB.run("close a view", statements::close);
    }
}
