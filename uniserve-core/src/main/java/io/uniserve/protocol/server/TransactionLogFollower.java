package io.uniserve.protocol.server;

import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.TransactionLogSnapshot;
import io.uniserve.protocol.tx.TransactionService;

/**
 * Keeps this server's copy of one table's log fresh. Copies may be old at any time, no rule counts on them; readers wait where
 * they are. While drivers tell what they write, the log's node is neither watched nor read: every watch and every read makes
 * the next write of it slower, for which clients wait. When nothing was told for a while the node is watched again, and read
 * once. What a watch tells is read unless a driver tells it in a moment.
 */
final class TransactionLogFollower {
    private final Environment env;
    private final Watches watches;
    private final TransactionService service;
    private final Times times;
    private final TableName table;
    private final long tableId;
    private final String path;
    private final RetryingReader<Versioned> reader;
    private boolean watching;
    private boolean arming;
    private boolean waiting;
    private boolean heard;
    private boolean stopped;

    /**
     * @param retryNanos pause before a read that failed is tried again
     * @param tellNanos for how long a change that a watch told may be told by its driver before it is read
     * @param quietNanos without a word of drivers for this long the log is watched again
     */
    record Times(long retryNanos, long tellNanos, long quietNanos) {}

    TransactionLogFollower(
            Environment env, Watches watches, TransactionService service, Times times, TableName table, long tableId) {
        this.env = env;
        this.watches = watches;
        this.service = service;
        this.times = times;
        this.table = table;
        this.tableId = tableId;
        this.path = RegistryPaths.log(table, tableId);
        this.reader = new RetryingReader<>(
                env.timers(), times.retryNanos(), done -> service.disclosure().read(path, done), read -> {
                    if (read.value() instanceof TransactionLogState value) {
                        service.offer(table, value, read.version());
                    }
                });
    }

    long tableId() {
        return tableId;
    }

    /** Watches and reads. */
    void start() {
        watching = true;
        arming = true;
        watches.add(path, this::changed);
    }

    private void changed() {
        if (arming) {
            arming = false;
            reader.dirty();
        } else if (watching && !waiting) {
            waiting = true;
            env.timers().after(times.tellNanos(), () -> {
                waiting = false;
                if (watching && !stopped) {
                    reader.dirty();
                }
            });
        }
    }

    /** A driver on another server tells what it has written. */
    void told(TransactionLogSnapshot told) {
        if (!stopped && service.offer(table, told.log(), told.nodeVersion())) {
            heard();
        }
    }

    /** What changed in the log is known here without a look at it. */
    void heard() {
        heard = true;
        if (watching && !stopped) {
            watching = false;
            watches.remove(path);
            look();
        }
    }

    private void look() {
        heard = false;
        env.timers().after(times.quietNanos(), () -> {
            if (stopped) {
                return;
            }
            if (heard) {
                look();
            } else {
                start();
            }
        });
    }

    void stop() {
        stopped = true;
        reader.stop();
        watches.remove(path);
    }
}
