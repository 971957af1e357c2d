package io.uniserve.sql.engine;

import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Pool of connections to an engine that allows concurrent readers but only a single writer. A connection is used by one thread at a time.
 * The pool opens as many connections as are in use at the same time. Thread-safe.
 *
 * @param <C> the connection
 */
public final class ConnectionPool<C> {
    private final Connector<C> connector;
    private final Queue<C> idle = new ConcurrentLinkedQueue<>();
    private final ReadWriteLock lock = new ReentrantReadWriteLock(true);

    /** Opens a connection. */
    @FunctionalInterface
    public interface Connector<C> {
        C connect() throws SQLException;
    }

    /** Work that is done with a connection. */
    @FunctionalInterface
    public interface Work<C, T> {
        T run(C connection) throws SQLException;
    }

    public ConnectionPool(Connector<C> connector) {
        this.connector = connector;
    }

    /** Runs work under the shared lock, concurrently with other readers. */
    public <T> T read(Work<C, T> work) throws SQLException {
        return withLock(lock.readLock(), work);
    }

    /** Runs work under the exclusive lock, without other readers or writers. */
    public <T> T write(Work<C, T> work) throws SQLException {
        return withLock(lock.writeLock(), work);
    }

    private <T> T withLock(Lock turn, Work<C, T> work) throws SQLException {
        turn.lock();
        try {
            C mine = idle.poll();
            C connection = mine == null ? connector.connect() : mine;
            try {
                return work.run(connection);
            } finally {
                idle.add(connection);
            }
        } finally {
            turn.unlock();
        }
    }
}
