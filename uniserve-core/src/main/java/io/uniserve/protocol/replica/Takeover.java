package io.uniserve.protocol.replica;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogListener;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One takeover from durable storage: puts the old files aside, begins an empty log and has it filled. */
final class Takeover {
    private final ReplicaHost host;
    private final ReplicaKey key;
    private final TableName table;
    private final LogListener events;
    private final Consumer<Opened> opened;
    private final Completion<Done> completion;
    private @Nullable Restorer restorer;

    /**
     * @param opened hears of the fresh files as soon as they are open
     * @param completion told when the log is filled, or why it is not
     */
    Takeover(
            ReplicaHost host,
            ReplicaKey key,
            TableName table,
            LogListener events,
            Consumer<Opened> opened,
            Completion<Done> completion) {
        this.host = host;
        this.key = key;
        this.table = table;
        this.events = events;
        this.opened = opened;
        this.completion = completion;
    }

    /** A new place for files that are kept for a look. */
    static String asidePath(ReplicaHost host, ReplicaKey key) {
        return "quarantine/" + key + "-" + Long.toHexString(host.env().ids().next());
    }

    /** The old engine and log are closed. */
    void run(boolean keepOldFiles) {
        Completion<Done> cleared =
                done -> Opened.open(host.env().disk(), key, table, host.config().log(), events, this::fill);
        if (keepOldFiles) {
            host.env().disk().move(key.toString(), asidePath(host, key), cleared);
        } else {
            host.env().disk().delete(key.toString(), cleared);
        }
    }

    private void fill(Outcome<Opened> fresh) {
        if (!(fresh instanceof Outcome.Ok<Opened> ok)) {
            completion.done(Outcome.err(((Outcome.Err<Opened>) fresh).error()));
            return;
        }
        Opened parts = ok.value();
        opened.accept(parts);
        if (parts.log().lastIndex() > 0) {
            completion.done(Outcome.err(new UniserveException(ErrorCode.IO, "the old files are still there")));
            return;
        }
        parts.file().change(state -> state, written -> {
            if (written instanceof Outcome.Err<Done>) {
                completion.done(written);
                return;
            }
            Restorer next = new Restorer(host.env(), host.config().clusterId(), key, table, parts.log(), completion);
            restorer = next;
            next.run();
        });
    }

    /** More of the log is on disk. */
    void durable() {
        if (restorer != null) {
            restorer.durable();
        }
    }

    void appendFailed(UniserveException error) {
        if (restorer != null) {
            restorer.failed(error);
        }
    }
}
