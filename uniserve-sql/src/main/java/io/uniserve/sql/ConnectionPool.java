package io.uniserve.sql;

import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Connections to an engine that bears readers beside each other and a writer alone. One thread has a connection at a time; as many
 * are made as are in use at once. Safe for use by several threads.
 *
 * @param <C> a connection
 */
public final class ConnectionPool<C> {
    private final Connector<C> connector;
    private final Queue<C> idle = new ConcurrentLinkedQueue<>();
    private final ReadWriteLock turns = new ReentrantReadWriteLock(true);

    /** Makes a connection. */
    @FunctionalInterface
    public interface Connector<C> {
        C connect() throws SQLException;
    }

    /** Work with a connection. */
    @FunctionalInterface
    public interface Work<C, T> {
        T with(C connection) throws SQLException;
    }

    public ConnectionPool(Connector<C> connector) {
        this.connector = connector;
    }

    /** While nobody writes. */
    public <T> T read(Work<C, T> work) throws SQLException {
        return during(turns.readLock(), work);
    }

    /** While nobody else reads or writes. */
    public <T> T write(Work<C, T> work) throws SQLException {
        return during(turns.writeLock(), work);
    }

    private <T> T during(Lock turn, Work<C, T> work) throws SQLException {
        turn.lock();
        try {
            C mine = idle.poll();
            C connection = mine == null ? connector.connect() : mine;
            try {
                return work.with(connection);
            } finally {
                idle.add(connection);
            }
        } finally {
            turn.unlock();
        }
    }
}
