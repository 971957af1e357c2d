package io.uniserve.protocol.server;

import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.TransactionLogSnapshot;
import io.uniserve.protocol.transaction.server.TransactionService;

/**
 * Follower of one table's transaction log, which keeps this server's copy fresh. Copies may be old at any time, and no rule depends on
 * them. But readers wait while a copy is old.
 *
 * <p>While transaction managers push their writes, the log's node is neither watched nor read. Every watch and read would delay the next
 * write, for which clients wait. After some time without a push, the node is watched again and read once. After a watch event it is read,
 * unless a push follows shortly.
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
    private boolean firstEventPending;
    private boolean waiting;
    private boolean pushReceived;
    private boolean stopped;

    /**
     * @param retryNanos pause before a failed read is retried
     * @param pushGraceNanos time after a watch event in which a push replaces the read
     * @param quietNanos time without a push after which the log is watched again
     */
    record Times(long retryNanos, long pushGraceNanos, long quietNanos) {}

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
                env.timers(),
                times.retryNanos(),
                done -> service.commitVisibility().readTransactionLog(path, done),
                read -> {
                    if (read.value() instanceof TransactionLogState value) {
                        service.offer(table, value, read.version());
                    }
                });
    }

    long tableId() {
        return tableId;
    }

    /** Starts to watch, and reads once. */
    void start() {
        watching = true;
        firstEventPending = true;
        watches.add(path, this::onWatchEvent);
    }

    private void onWatchEvent() {
        if (firstEventPending) {
            firstEventPending = false;
            reader.requestRead();
        } else if (watching && !waiting) {
            waiting = true;
            env.timers().after(times.pushGraceNanos(), () -> {
                waiting = false;
                if (watching && !stopped) {
                    reader.requestRead();
                }
            });
        }
    }

    /** Handles a push of the log by a transaction manager on another server. */
    void onPublished(TransactionLogSnapshot told) {
        if (!stopped && service.offer(table, told.log(), told.nodeVersion())) {
            onPush();
        }
    }

    /** Notes that a change of the log is known here without a read. */
    void onPush() {
        pushReceived = true;
        if (watching && !stopped) {
            watching = false;
            watches.remove(path);
            rewatchWhenQuiet();
        }
    }

    private void rewatchWhenQuiet() {
        pushReceived = false;
        env.timers().after(times.quietNanos(), () -> {
            if (stopped) {
                return;
            }
            if (pushReceived) {
                rewatchWhenQuiet();
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
