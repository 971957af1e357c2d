package io.uniserve.port.duckdb;

import static io.uniserve.port.duckdb.Duck.DUCKDB;

import io.uniserve.api.ActorUsage;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.duckdb.DuckDBConnection;

/** A state of an actor: a transaction that is open as long as the view. Its readers take turns. */
final class DuckView extends DuckTable {
    private final DuckActor actor;
    private final DuckDBConnection connection;
    private final long replacedBefore;
    private final long rows;
    private final ReentrantLock turn = new ReentrantLock();

    DuckView(DuckActor actor, DuckDBConnection connection, long replacedBefore) {
        super(actor.name(), actor.columns());
        this.actor = actor;
        this.connection = connection;
        this.replacedBefore = replacedBefore;
        this.rows = DUCKDB.translated("open a view", () -> {
            connection.setAutoCommit(false);
            return count();
        });
    }

    @Override
    <T> T read(Reading<T> reading) throws SQLException {
        turn.lock();
        try {
            return reading.read(connection);
        } finally {
            turn.unlock();
        }
    }

    /** What was replaced since is kept for this view's sake. */
    @Override
    public ActorUsage usage() {
        long kept = Math.min(rows, actor.replaced() - replacedBefore);
        return new ActorUsage(rows, kept * actor.rowBytes(), 0);
    }

    @Override
    public void destroy() {
        close();
    }

    @Override
    public void close() {
        DUCKDB.translated("close a view", () -> {
            connection.close();
            return this;
        });
    }
}
