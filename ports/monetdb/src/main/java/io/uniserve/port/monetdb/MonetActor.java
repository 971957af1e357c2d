package io.uniserve.port.monetdb;

import static io.uniserve.port.monetdb.MonetDatabase.MONETDB;

import io.uniserve.api.ActorUsage;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.extra.RevocableActor;
import io.uniserve.api.extra.RowVersionTracker;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.sql.engine.RowActor;
import io.uniserve.sql.engine.RowCheckpointFile;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import nl.cwi.monetdb.embedded.env.MonetDBEmbeddedConnection;

/**
 * Actor of the MonetDB port: one table whose rows have the version that inserted them and the version that deleted them. Prepared rows have
 * the next version, which no reader uses; publishing increments the version. So readers, views and a prepared update need no open
 * transactions, of which MonetDB would abort one.
 */
public final class MonetActor extends MonetTable implements RevocableActor<MonetTable>, RowActor {
    private static final String SINCE = "\"SINCE\"";
    private static final String UNTIL = "\"UNTIL\"";
    private static final int NOW = Integer.MAX_VALUE;

    /** Threshold for compaction: a table is rewritten if it has more dead rows than this, and more dead than live rows. */
    private static final int DEAD_ROWS_MIN = 10_000;

    private final MonetColumns monetColumns;
    private final String stagingTable = MonetDatabase.newName("staged");
    private final ReadWriteLock compactionLock = new ReentrantReadWriteLock();
    private final RowVersionTracker rowVersionTracker = new RowVersionTracker();
    private volatile String table;
    private volatile boolean closed;
    private boolean changed;
    /** Oddity flags of all texts since it was created or restored, see {@link MonetTextCodec#oddKinds}. */
    private volatile int oddTexts;

    private long storedAtCompaction;
    private final AtomicLong live = new AtomicLong();
    private final AtomicLong size = new AtomicLong();
    private final AtomicLong stored = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /** Creates an empty actor. */
    MonetActor(ColumnSchema columns) throws SQLException {
        super(columns);
        monetColumns = MonetColumns.of(columns);
        table = createTable();
        MonetDatabase.DB.write(
                by -> by.executeUpdate("CREATE TABLE " + stagingTable + " (" + monetColumns.stagingDefinition() + ")"));
    }

    private String createTable() throws SQLException {
        String name = MonetDatabase.newName("actor");
        MonetDatabase.DB.write(by -> by.executeUpdate("CREATE TABLE " + name + " (" + monetColumns.definition() + ", "
                + SINCE + " INTEGER, " + UNTIL + " INTEGER)"));
        return name;
    }

    /** Loads a checkpoint into an empty actor. Fails with CORRUPT if it is damaged. */
    void restore(Path checkpoint) {
        MONETDB.call("load a checkpoint", () -> {
            RowCheckpointFile.read(
                    checkpoint,
                    monetColumns.names().size(),
                    rows -> MonetDatabase.DB.write(by -> {
                        stage(by, rows);
                        return insert(by, 0);
                    }));
            return countRows();
        });
    }

    @Override
    public void check(List<?> values) {
        monetColumns.checkRow(values);
    }

    @Override
    public void put(Collection<? extends List<?>> rows) {
        change("store rows", rows, true);
    }

    @Override
    public void delete(Collection<? extends List<?>> rows) {
        change("delete rows", rows, false);
    }

    private void change(String what, Collection<? extends List<?>> rows, boolean put) {
        if (rows.isEmpty()) {
            return;
        }
        MONETDB.call(
                what,
                () -> MonetDatabase.DB.write(by -> {
                    changed = true;
                    stage(by, rows);
                    endStagedKeys(by);
                    return put ? insert(by, rowVersionTracker.newest() + 1) : 0;
                }));
    }

    private void stage(MonetDBEmbeddedConnection by, Collection<? extends List<?>> rows) throws SQLException {
        by.executeUpdate("DELETE FROM " + stagingTable);
        MonetDatabase.append(by, stagingTable, monetColumns.arrays(rows));
        for (List<?> row : rows) {
            for (Object value : row) {
                bytes.addAndGet(value instanceof String text ? text.length() : Long.BYTES);
                oddTexts |= value instanceof String text ? MonetTextCodec.oddKinds(text) : 0;
            }
        }
        stored.addAndGet(rows.size());
    }

    private int insert(MonetDBEmbeddedConnection by, int version) throws SQLException {
        return by.executeUpdate("INSERT INTO " + table + " SELECT " + monetColumns.unstagedValues() + ", " + version
                + ", " + NOW + " FROM " + stagingTable);
    }

    /** Ends the rows with staged keys: rows that readers see get an end version, rows of the same version are deleted. */
    private void endStagedKeys(MonetDBEmbeddedConnection by) throws SQLException {
        int version = rowVersionTracker.newest() + 1;
        String same = " AND EXISTS (SELECT 1 FROM " + stagingTable + " WHERE "
                + monetColumns.equalCondition(columns().primaryKey(), stagingTable, table) + ")";
        by.executeUpdate("DELETE FROM " + table + " WHERE " + SINCE + " = " + version + same);
        by.executeUpdate(
                "UPDATE " + table + " SET " + UNTIL + " = " + version + " WHERE " + UNTIL + " = " + NOW + same);
    }

    @Override
    public void revoke() {
        if (changed) {
            int version = rowVersionTracker.newest() + 1;
            MONETDB.call(
                    "roll back",
                    () -> MonetDatabase.DB.write(by -> {
                        by.executeUpdate("DELETE FROM " + table + " WHERE " + SINCE + " = " + version);
                        return by.executeUpdate("UPDATE " + table + " SET " + UNTIL + " = " + NOW + " WHERE " + UNTIL
                                + " = " + version);
                    }));
            changed = false;
        }
    }

    @Override
    public void publish() {
        if (changed) {
            rowVersionTracker.advance();
            changed = false;
            long dead = MONETDB.call("count rows", this::countRows);
            if (dead - storedAtCompaction > Math.max(DEAD_ROWS_MIN, live.get())) {
                MONETDB.call("rewrite a table", this::compact);
            }
        }
    }

    /** Counts rows by queries, because the driver's counts of updated rows are sometimes -1. Returns the number of dead rows. */
    private long countRows() throws SQLException {
        String all = "SELECT count(*) FROM " + table;
        live.set(count(all + " WHERE " + UNTIL + " = " + NOW));
        size.set(count(all));
        return size.get() - live.get();
    }

    private static long count(String query) throws SQLException {
        return Long.parseLong(
                String.valueOf(MonetDatabase.readPage(query, 0, 1).get(0).get(0)));
    }

    /** Rewrites the table: MonetDB never reuses the space of deleted or changed rows. */
    private String compact() throws SQLException {
        String next = createTable();
        int needed = rowVersionTracker.oldest();
        MonetDatabase.DB.write(by -> by.executeUpdate(
                "INSERT INTO " + next + " SELECT * FROM " + table + " WHERE " + UNTIL + " > " + needed));
        compactionLock.writeLock().lock();
        try {
            String before = table;
            table = next;
            long rowBytes = rowBytes();
            storedAtCompaction = countRows();
            bytes.set(rowBytes * size.get());
            MonetDatabase.DB.write(by -> by.executeUpdate("DROP TABLE " + before));
        } finally {
            compactionLock.writeLock().unlock();
        }
        return next;
    }

    @Override
    <T> T read(Reading<T> reading) throws Exception {
        int version = rowVersionTracker.acquire();
        try {
            return readAt(version, reading);
        } finally {
            rowVersionTracker.release(version);
        }
    }

    /** Reads the rows of a published version that is still retained. */
    private <T> T readAt(int version, Reading<T> reading) throws Exception {
        compactionLock.readLock().lock();
        try {
            if (closed) {
                throw new UniserveException(ErrorCode.UNAVAILABLE, "table " + table + " of an actor is closed");
            }
            return reading.read("SELECT " + monetColumns.quotedNames() + " FROM " + table + " AS odd" + oddTexts
                    + "_ WHERE " + SINCE + " <= " + version + " AND " + UNTIL + " > " + version);
        } finally {
            compactionLock.readLock().unlock();
        }
    }

    @Override
    public MonetTable snapshot() {
        return new View();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    private long rowBytes() {
        return bytes.get() / Math.max(1, size.get());
    }

    /** The database is in memory. The disk only has checkpoints and logs, which the host accounts for. */
    @Override
    public ActorUsage usage() {
        return new ActorUsage(live.get(), bytes.get(), 0);
    }

    @Override
    public void close() {
        compactionLock.writeLock().lock();
        try {
            if (!closed) {
                closed = true;
                MONETDB.call(
                        "close an actor",
                        () -> MonetDatabase.DB.write(by -> {
                            by.executeUpdate("DROP TABLE " + table);
                            return by.executeUpdate("DROP TABLE " + stagingTable);
                        }));
            }
        } finally {
            compactionLock.writeLock().unlock();
        }
    }

    /** View of a version, whose rows are retained while it is open. Several readers may use it concurrently. */
    private final class View extends MonetTable {
        private final int version = rowVersionTracker.acquire();
        private final long rows = live.get();
        private final long storedBefore = stored.get();
        private final AtomicBoolean closed = new AtomicBoolean();

        View() {
            super(MonetActor.this.columns());
        }

        @Override
        <T> T read(Reading<T> reading) throws Exception {
            return readAt(version, reading);
        }

        /** Rows that were replaced since are retained for this view. */
        @Override
        public ActorUsage usage() {
            return new ActorUsage(rows, Math.min(rows, stored.get() - storedBefore) * rowBytes(), 0);
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                rowVersionTracker.release(version);
            }
        }
    }
}
