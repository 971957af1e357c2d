package io.uniserve.protocol.transaction.manager;

import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.transaction.TransactionContext;
import io.uniserve.protocol.transaction.TransactionLogView;
import io.uniserve.protocol.transaction.TransactionLogView.Written;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Serial access of a transaction manager to its table's transaction log. One read or write runs at a time; none completes after close. */
final class TransactionLogAccess {
    private final TransactionContext host;
    private final TableName table;
    private final TransactionLogView log;
    private final ChunkAvailability chunks;
    private boolean pending;
    private boolean closed;

    TransactionLogAccess(TransactionContext host, TableName table, TransactionLogView log, ChunkAvailability chunks) {
        this.chunks = chunks;
        this.host = host;
        this.table = table;
        this.log = log;
    }

    /** True while a read or write runs. */
    boolean isPending() {
        return pending;
    }

    void close() {
        closed = true;
    }

    /** Reads the log. If that fails, the table's map is read again, as the table may be dropped; that closes the manager. */
    void read(Runnable then, Runnable failed) {
        pending = true;
        int watermark = chunks.watermark();
        log.read(read -> {
            pending = false;
            if (closed) {
                return;
            }
            if (read instanceof Outcome.Ok<TransactionLogState>) {
                chunks.onLogRead(watermark);
                then.run();
            } else {
                host.refresh(table);
                failed.run();
            }
        });
    }

    /**
     * Writes the log.
     *
     * @param mapVersion the version that the table's map must have; null for any
     */
    void write(TransactionLogState next, @Nullable Integer mapVersion, Consumer<Written> then) {
        pending = true;
        log.write(next, mapVersion, written -> {
            pending = false;
            if (closed) {
                return;
            }
            if (written == Written.DONE) {
                host.onLogWritten(table);
            }
            then.accept(written);
        });
    }
}
