package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a table's transaction log as it was at some moment after the call. It confirms this server's copy by a multi that checks the
 * znode version and goes through ZooKeeper's quorum. If the log has changed, it is read and confirmed again. One confirmation serves all
 * callers that arrived before it started.
 */
final class ConfirmedLogReader {
    private static final int ATTEMPTS_MAX = 8;

    private final Environment env;
    private final Registry registry;
    private final CommitVisibility commitVisibility;
    private final long tableId;
    private final String path;
    private final TransactionLogListener seen;
    private List<Question> asking = new ArrayList<>();
    private List<Question> asked = List.of();
    private @Nullable TransactionLogState known;
    private int knownVersion;
    private boolean running;

    /** A caller that needs the outcome of a version. */
    private record Question(long version, boolean decided, Completion<TransactionLogState> completion) {
        /** True if the copy here is certainly older than the requested log. */
        private boolean newerThan(TransactionLogState log) {
            return version >= log.next() || decided && TransactionLogTransitions.inFlight(log, version);
        }

        private boolean decidedIn(TransactionLogState log) {
            return log.next() > version && !TransactionLogTransitions.inFlight(log, version);
        }
    }

    /** @param seen called with each log that is read here */
    ConfirmedLogReader(
            Environment env,
            CommitVisibility commitVisibility,
            TableName table,
            long tableId,
            TransactionLogListener seen) {
        this.env = env;
        this.commitVisibility = commitVisibility;
        this.registry = env.registry();
        this.tableId = tableId;
        this.path = RegistryPaths.log(table, tableId);
        this.seen = seen;
    }

    long tableId() {
        return tableId;
    }

    /**
     * Reads the log for the state of a version. A decision may come from an older log, because it is final. If the version is in flight or
     * not started, that was so at some moment after the call.
     *
     * @param decided true if the caller knows that the version is decided: a log that has it in flight is then outdated
     */
    void look(long version, boolean decided, Completion<TransactionLogState> completion) {
        asking.add(new Question(version, decided, completion));
        if (!running) {
            begin();
        }
    }

    /** Sets this server's copy of the log, newer than all before. */
    void seen(TransactionLogState log, int version) {
        known = log;
        knownVersion = version;
        answerDecided(log);
    }

    /** Starts with the next event of the loop, because the actors of one read arrive here one after the other. */
    private void begin() {
        running = true;
        env.timers().after(0, () -> {
            asked = asking;
            asking = new ArrayList<>();
            TransactionLogState log = known;
            if (log == null || asked.stream().anyMatch(question -> question.newerThan(log))) {
                read(0);
            } else {
                check(log, knownVersion, 0);
            }
        });
    }

    private void read(int attempt) {
        if (attempt == ATTEMPTS_MAX) {
            end(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, path + " changed at every read attempt")));
            return;
        }
        commitVisibility.read(path, read -> {
            if (read instanceof Outcome.Err<Versioned> err) {
                end(Outcome.err(err.error()));
            } else {
                Versioned found = ((Outcome.Ok<Versioned>) read).value();
                if (found.value() instanceof TransactionLogState log) {
                    seen.seen(log, found.version());
                    check(log, found.version(), attempt);
                } else {
                    end(Outcome.err(new UniserveException(ErrorCode.TABLE_NOT_FOUND, path + " does not exist")));
                }
            }
        });
    }

    private void check(TransactionLogState log, int version, int attempt) {
        answerDecided(log);
        if (asked.isEmpty()) {
            end(Outcome.ok(log));
        } else {
            confirm(log, version, attempt);
        }
    }

    private void answerDecided(TransactionLogState log) {
        List<Question> answered =
                asked.stream().filter(question -> question.decidedIn(log)).toList();
        asked = asked.stream().filter(question -> !question.decidedIn(log)).toList();
        answered.forEach(question -> question.completion().done(Outcome.ok(log)));
    }

    private void confirm(TransactionLogState log, int version, int attempt) {
        registry.multi(List.of(new Op.Check(path, version)), checked -> {
            if (checked instanceof Outcome.Err<MultiResult> err) {
                end(Outcome.err(err.error()));
            } else if (asked.isEmpty()
                    || ((Outcome.Ok<MultiResult>) checked).value().applied()) {
                end(Outcome.ok(log));
            } else {
                registry.sync(synced -> read(attempt + 1));
            }
        });
    }

    private void end(Outcome<TransactionLogState> outcome) {
        List<Question> told = asked;
        asked = List.of();
        running = false;
        told.forEach(question -> question.completion().done(outcome));
        if (!running && !asking.isEmpty()) {
            begin();
        }
    }
}
