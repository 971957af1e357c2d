package io.uniserve.port.duckdb;

import static io.uniserve.port.duckdb.DuckDatabase.DUCKDB;

import io.uniserve.api.ActorUsage;
import io.uniserve.api.QueryCancellation;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.JdbcQueries;
import io.uniserve.sql.PlannedStatements;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.duckdb.DuckDBConnection;

/**
 * A state of an actor: a transaction that is open as long as the view. Its readers take turns. A query that fails ends the
 * transaction, and DuckDB has no way back to its state: the view begins another one where nothing was committed since, and
 * else is gone.
 */
final class DuckView extends DuckTable {
    private final DuckActor actor;
    private final PlannedStatements statements;
    private final long replacedBefore;
    private final ReentrantLock turn = new ReentrantLock();
    private volatile long commits;
    private long rows;
    private boolean gone;

    DuckView(DuckActor actor, DuckDBConnection connection) throws SQLException {
        super(actor.duck(), actor.name(), actor.columns());
        this.actor = actor;
        this.statements = new PlannedStatements(connection);
        this.replacedBefore = actor.replaced();
        connection.setAutoCommit(false);
        actor.uncommitted(now -> {
            commits = now;
            rows = count();
        });
    }

    @Override
    <T> T read(Reading<T> reading) throws SQLException {
        turn.lock();
        try {
            if (gone) {
                throw new UniserveException(
                        ErrorCode.VERSION_GONE, "a query failed on this state of actor " + name() + ", which is lost");
            }
            return reading.read(statements);
        } catch (SQLException e) {
            again();
            throw e;
        } finally {
            turn.unlock();
        }
    }

    /** A statement that is stopped would take a state from others to which there is no way back. */
    @Override
    QueryCancellation life(QueryCancellation asked) {
        return asked.stoppedWhile(() -> actor.state() == commits);
    }

    private void again() throws SQLException {
        statements.connection().rollback();
        actor.uncommitted(now -> {
            gone = now != commits;
            if (!gone) {
                DUCKDB.translated("open a view", () -> JdbcQueries.answer(statements.connection(), PIN));
            }
        });
    }

    /** What was replaced since is kept for this view's sake. */
    @Override
    public ActorUsage usage() {
        long kept = Math.min(rows, actor.replaced() - replacedBefore);
        return new ActorUsage(rows, kept * actor.rowBytes(), 0);
    }

    @Override
    public void close() {
        DUCKDB.run("close a view", statements::close);
    }
}
