package io.uniserve.benchmark.storage;

import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Durability;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writer of rows with ascending numbers to a table of durability REMOTE in a thread of its own. It remembers which were acknowledged. A
 * failed update is not repeated. Thread-safe.
 */
final class StorageWriter implements AutoCloseable {
    static final String TABLE = "written";
    private static final int ACTORS = 8;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long FAILURE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final ClientTable table;
    private final long first;
    private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
    private final Thread thread;
    private volatile boolean end;

    private StorageWriter(ClientTable table, long first) {
        this.table = table;
        this.first = first;
        thread = new Thread(this::write, "storage-writer");
        thread.setDaemon(true);
        thread.start();
    }

    /** Creates the table and starts to write. */
    static StorageWriter start(StorageCluster cluster) {
        cluster.client()
                .admin()
                .createTable(TableSpec.named(TABLE)
                        .port("kv")
                        .hash(ACTORS)
                        .replicas(1)
                        .keyField("key")
                        .durability(Durability.REMOTE));
        cluster.awaitReplicas(TABLE, 1);
        return new StorageWriter(cluster.client().table(TABLE), 0);
    }

    /** Starts to write to the table that is there, from this row. */
    static StorageWriter resume(StorageCluster cluster, long first) {
        return new StorageWriter(cluster.client().table(TABLE), first);
    }

    /** Returns the rows that were acknowledged so far. */
    Set<Long> acknowledged() {
        return Set.copyOf(acknowledged);
    }

    private void write() {
        for (long n = first; !end; n++) {
            try {
                StorageRows.put(table, n);
                acknowledged.add(n);
                LockSupport.parkNanos(PAUSE_NANOS);
            } catch (UniserveException e) {
                LockSupport.parkNanos(FAILURE_PAUSE_NANOS);
            }
        }
    }

    /** Ends the writer after its current update. */
    @Override
    public void close() {
        end = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
