package io.uniserve.protocol.server;

import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.RetryingReader;
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
 *
 * <p>Life cycle, see {@link State}:
 *
 * <ul>
 * <li>QUIET → STARTING → WATCHING: the watch starts, and the node is read once.
 * <li>WATCHING → AWAITING_PUSH: the watch has reported a change. Without a push in time the node is read, and WATCHING follows.
 * <li>STARTING, WATCHING or AWAITING_PUSH → QUIET: a push has arrived, and the watch ends.
 * <li>QUIET → PUSHED → QUIET: another push has arrived, so the quiet time starts again at its end. Else STARTING follows.
 * <li>Any state → STOPPED, which is final.
 * </ul>
 */
final class TransactionLogFollower {
    private final Environment env;
    private final RegistryWatches watches;
    private final TransactionService service;
    private final Times times;
    private final TableName table;
    private final long tableId;
    private final String path;
    private final RetryingReader<Versioned> reader;
    private State state = State.QUIET;

    private enum State {
        /** No watch: the node is watched again unless a push arrives in the quiet time. */
        QUIET,
        /** No watch: a push has arrived in the quiet time. */
        PUSHED,
        /** The watch is being added, which counts as a change. */
        STARTING,
        WATCHING,
        /** The watch has reported a change, and the node is read if no push of it arrives in time. */
        AWAITING_PUSH,
        STOPPED
    }

    /**
     * @param retryNanos pause before a failed read is retried
     * @param pushGraceNanos time after a watch event in which a push replaces the read
     * @param quietNanos time without a push after which the log is watched again
     */
    record Times(long retryNanos, long pushGraceNanos, long quietNanos) {}

    TransactionLogFollower(
            Environment env,
            RegistryWatches watches,
            TransactionService service,
            Times times,
            TableName table,
            long tableId) {
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
        state = State.STARTING;
        watches.add(path, this::onWatchEvent);
    }

    private void onWatchEvent() {
        if (state == State.STARTING) {
            state = State.WATCHING;
            reader.requestRead();
        } else if (state == State.WATCHING) {
            state = State.AWAITING_PUSH;
            env.timers().after(times.pushGraceNanos(), () -> {
                if (state == State.AWAITING_PUSH) {
                    state = State.WATCHING;
                    reader.requestRead();
                }
            });
        }
    }

    /** Handles a push of the log by a transaction manager on another server. */
    void onPublished(TransactionLogSnapshot told) {
        if (state != State.STOPPED && service.offer(table, told.log(), told.nodeVersion())) {
            onPush();
        }
    }

    /** Notes that a change of the log is known here without a read. */
    void onPush() {
        switch (state) {
            case STARTING, WATCHING, AWAITING_PUSH -> {
                watches.remove(path);
                rewatchWhenQuiet();
            }
            case QUIET -> state = State.PUSHED;
            case PUSHED, STOPPED -> {
                // nothing changes
            }
        }
    }

    private void rewatchWhenQuiet() {
        state = State.QUIET;
        env.timers().after(times.quietNanos(), () -> {
            if (state == State.PUSHED) {
                rewatchWhenQuiet();
            } else if (state == State.QUIET) {
                start();
            }
        });
    }

    void stop() {
        state = State.STOPPED;
        reader.stop();
        watches.remove(path);
    }
}
