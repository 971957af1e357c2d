package io.uniserve.protocol.transaction;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.TransactionLogSnapshot;
import io.uniserve.protocol.transaction.TransactionLogTransitions.LogAndOutcomes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One server's view of a table's transaction log. All parts of the server that read or write the log share it:
 *
 * <ul>
 *   <li>{@link #current()} is the newest log that reached this server by a read, a write or a push. It may be stale. Every log that is read or
 *       written here, or pushed by another server, goes through {@link #offer}, which keeps the newest by the version of its node.
 *   <li>{@link #confirm} returns the log as of a time after the call.
 *   <li>{@link #base()} is the log on which the transaction manager builds its next compare-and-set, with the older decisions. It is null unless
 *       it is the result of the manager's last read or write. A newer log from elsewhere does not replace it, because the
 *       manager's current version depends on it: a compare-and-set on a stale base fails, and the manager reads the log again.
 * </ul>
 *
 * Not thread-safe: runs on the server's event loop.
 */
public final class TransactionLogView {
    private static final int HISTORY_ATTEMPTS_MAX = 4;
    private static final int CONFIRM_ATTEMPTS_MAX = 8;

    /** Committed versions after which the times of a version are dropped. */
    private static final long TIMES_KEPT = 4_096;

    private final TransactionContext host;
    private final Registry registry;
    private final CommitVisibility commitVisibility;
    private final TableName table;
    private final long tableId;
    private final String path;
    private final String historyPath;
    private final List<Listener> listeners = new ArrayList<>();
    private boolean closed;

    private @Nullable TransactionLogState current;
    private int currentVersion;
    private long flight;
    private long flightSince;
    private final Map<Long, Long> openSince = new TreeMap<>();
    private final Map<Long, Long> unackedSince = new TreeMap<>();

    private @Nullable TransactionLogState base;
    private int baseVersion;
    private @Nullable DecisionHistory history;
    private int historyVersion;
    private @Nullable Map<RequestId, Decision> historyByRequest;

    private List<Question> waiting = new ArrayList<>();
    private List<Question> confirming = List.of();
    private boolean confirms;

    /** Listener for newer logs. */
    @FunctionalInterface
    public interface Listener {
        /** Called after {@link #current()} has changed and after calls of {@link #confirm} that it answers have completed. */
        void changed(TransactionLogState log, int nodeVersion);
    }

    /** The result of a write. */
    public enum Written {
        DONE,
        /** The table's map has another version than the one that was checked. */
        OTHER_MAP,
        /** The log changed before, or the result is unknown. The caller has to read the log. */
        UNKNOWN
    }

    /** One call of {@link #confirm}. */
    private record Question(long version, boolean decided, Completion<TransactionLogState> completion) {
        /** True if the log is certainly older than the call. */
        private boolean newerThan(TransactionLogState log) {
            return version >= log.nextVersion() || decided && TransactionLogTransitions.isInFlight(log, version);
        }

        private boolean decidedIn(TransactionLogState log) {
            return log.nextVersion() > version && !TransactionLogTransitions.isInFlight(log, version);
        }
    }

    public TransactionLogView(
            TransactionContext host, CommitVisibility commitVisibility, TableName table, long tableId) {
        this.host = host;
        this.registry = host.env().registry();
        this.commitVisibility = commitVisibility;
        this.table = table;
        this.tableId = tableId;
        this.path = RegistryPaths.log(table, tableId);
        this.historyPath = RegistryPaths.outcomes(table, tableId);
    }

    public long tableId() {
        return tableId;
    }

    public void listen(Listener listener) {
        listeners.add(listener);
    }

    /**
     * Handles the loss of the table, or another table of its name: later logs are ignored. Reads, writes and confirmations still complete.
     */
    public void close() {
        closed = true;
    }

    /** The newest log that this server has seen, perhaps stale; null before the first. */
    @Nullable
    public TransactionLogState current() {
        return current;
    }

    /**
     * Accepts a log of this table that was read and may be used, was written here, or was pushed by another server.
     *
     * @param nodeVersion version of the log's node in the registry
     * @return true if it was newer than {@link #current()}
     */
    public boolean offer(TransactionLogState log, int nodeVersion) {
        if (closed) {
            return false;
        }
        commitVisibility.markVisible(tableId, log.committedVersion());
        if (current != null && currentVersion >= nodeVersion) {
            return false;
        }
        current = log;
        currentVersion = nodeVersion;
        long flying = log.inFlight() == null ? 0 : log.inFlight().version();
        if (flying != flight) {
            flight = flying;
            flightSince = host.env().clock().nanos();
        }
        host.publishDecidedVersion(tableId, log.committedVersion());
        answerDecided(log);
        List.copyOf(listeners).forEach(listener -> listener.changed(log, nodeVersion));
        return true;
    }

    // Times without progress of versions, as observed by this server.

    /** True if the version in flight has not changed for this time. The time then starts again. */
    public boolean flightLasts(long nanos, long now) {
        if (now - flightSince < nanos) {
            return false;
        }
        flightSince = now;
        return true;
    }

    /** True if the version has been in doubt at a replica of this server for this time. */
    public boolean openLasts(long version, long nanos, long now) {
        return now - openSince.computeIfAbsent(version, v -> now) >= nanos;
    }

    /** True if the decision has been unacknowledged for this time. The time then starts again. */
    public boolean unackedLasts(long version, long nanos, long now) {
        if (now - unackedSince.computeIfAbsent(version, v -> now) < nanos) {
            return false;
        }
        unackedSince.put(version, now);
        return true;
    }

    /** Removes the times of versions that were decided long ago. */
    public void dropOldTimes(TransactionLogState log) {
        openSince.keySet().removeIf(version -> version < log.committedVersion() - TIMES_KEPT);
        unackedSince.keySet().removeIf(version -> version < log.committedVersion() - TIMES_KEPT);
    }

    // Confirmation of the current log.

    /**
     * Completes with the log as of a time after the call. It checks the version of {@link #current()} in a multi, which goes through the
     * registry's quorum. If the log has changed, it is read and checked again. One multi serves all calls before it.
     *
     * <p>A log in which the version is decided may be older than the call, because decisions are final. A log in which the version
     * is in flight or unknown is not.
     *
     * @param decided true if the caller has seen that the version is decided: a log that has it in flight is then stale
     */
    public void confirm(long version, boolean decided, Completion<TransactionLogState> completion) {
        waiting.add(new Question(version, decided, completion));
        if (!confirms) {
            beginConfirm();
        }
    }

    /** Starts in the loop's next turn, so that the actors of one read share a multi. */
    private void beginConfirm() {
        confirms = true;
        host.env().timers().post(() -> {
            confirming = waiting;
            waiting = new ArrayList<>();
            TransactionLogState log = current;
            if (log == null || confirming.stream().anyMatch(question -> question.newerThan(log))) {
                readToConfirm(0);
            } else {
                check(log, currentVersion, 0);
            }
        });
    }

    private void readToConfirm(int attempt) {
        if (attempt == CONFIRM_ATTEMPTS_MAX) {
            endConfirm(Outcome.err(
                    new UniserveException(ErrorCode.UNAVAILABLE, path + " changes faster than it is read")));
            return;
        }
        commitVisibility.readTransactionLog(path, read -> {
            if (read instanceof Outcome.Err<Versioned> err) {
                endConfirm(Outcome.err(err.error()));
            } else {
                Versioned found = read.value();
                if (found.value() instanceof TransactionLogState log) {
                    offer(log, found.version());
                    check(log, found.version(), attempt);
                } else {
                    endConfirm(Outcome.err(new UniserveException(ErrorCode.TABLE_NOT_FOUND, path + " does not exist")));
                }
            }
        });
    }

    private void check(TransactionLogState log, int version, int attempt) {
        answerDecided(log);
        if (confirming.isEmpty()) {
            endConfirm(Outcome.ok(log));
            return;
        }
        registry.multi(List.of(new Op.Check(path, version)), checked -> {
            if (checked instanceof Outcome.Err<MultiResult> err) {
                endConfirm(Outcome.err(err.error()));
            } else if (confirming.isEmpty() || checked.value().applied()) {
                endConfirm(Outcome.ok(log));
            } else {
                registry.sync(synced -> readToConfirm(attempt + 1));
            }
        });
    }

    private void answerDecided(TransactionLogState log) {
        List<Question> answered =
                confirming.stream().filter(question -> question.decidedIn(log)).toList();
        confirming =
                confirming.stream().filter(question -> !question.decidedIn(log)).toList();
        answered.forEach(question -> question.completion().done(Outcome.ok(log)));
    }

    private void endConfirm(Outcome<TransactionLogState> outcome) {
        List<Question> answered = confirming;
        confirming = List.of();
        confirms = false;
        answered.forEach(question -> question.completion().done(outcome));
        if (!confirms && !waiting.isEmpty()) {
            beginConfirm();
        }
    }

    // The transaction manager's reads and compare-and-sets.

    /** The last result of {@link #read} or {@link #write}; null if the log may have changed since. */
    @Nullable
    public TransactionLogState base() {
        return base;
    }

    /** {@link #base()} with its node's version, for other servers. */
    @Nullable
    public TransactionLogSnapshot baseSnapshot() {
        TransactionLogState known = base;
        return known == null ? null : new TransactionLogSnapshot(known, baseVersion);
    }

    /** Drops the base, so that the next step needs a new read. */
    public void dropBase() {
        base = null;
    }

    /** Drops the base if it is older than this version of the node. */
    public void dropBaseBefore(int nodeVersion) {
        if (nodeVersion > baseVersion) {
            base = null;
        }
    }

    /** The last decision on the request in {@link #base()} or the older decisions; empty if none is recorded. */
    public Optional<Decision> lastDecision(RequestId request) {
        TransactionLogState log = base;
        DecisionHistory older = history;
        if (log == null || older == null) {
            throw new IllegalStateException("the log is not known");
        }
        Optional<Decision> recent = TransactionLogTransitions.lastDecision(log, request);
        Map<RequestId, Decision> index = historyByRequest;
        if (index == null) {
            Map<RequestId, Decision> all = new LinkedHashMap<>();
            older.decisions()
                    .forEach(decision -> decision.batches().forEach(batch -> all.put(batch.request(), decision)));
            historyByRequest = all;
            index = all;
        }
        Decision old = index.get(request);
        return old != null && (recent.isEmpty() || recent.get().version() < old.version()) ? Optional.of(old) : recent;
    }

    /**
     * Reads the log as of now, with the older decisions, and makes it the base. The log names the older decisions that belong to it, and
     * both change in one multi: if they do not match, both are read again. Fails with TABLE_NOT_FOUND if no log exists.
     */
    public void read(Completion<TransactionLogState> completion) {
        base = null;
        registry.sync(synced -> read(0, completion));
    }

    private void read(int attempt, Completion<TransactionLogState> completion) {
        commitVisibility.readTransactionLog(path, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TransactionLogState log) {
                DecisionHistory known = history;
                if (known != null && known.writeNumber() == log.historyNumber()) {
                    found(log, ok.value().version(), completion);
                } else {
                    readHistory(log, ok.value().version(), attempt, completion);
                }
            } else if (read instanceof Outcome.Err<Versioned> err) {
                completion.done(Outcome.err(err.error()));
            } else {
                completion.done(Outcome.err(
                        new UniserveException(ErrorCode.TABLE_NOT_FOUND, "table " + table + " has no log")));
            }
        });
    }

    private void found(TransactionLogState log, int nodeVersion, Completion<TransactionLogState> completion) {
        base = log;
        baseVersion = nodeVersion;
        offer(log, nodeVersion);
        completion.done(Outcome.ok(log));
    }

    private void readHistory(
            TransactionLogState log, int nodeVersion, int attempt, Completion<TransactionLogState> completion) {
        registry.read(historyPath, read -> {
            if (!(read instanceof Outcome.Ok<Versioned> ok)) {
                completion.done(Outcome.err(read.error()));
                return;
            }
            DecisionHistory stored =
                    ok.value().value() instanceof DecisionHistory some ? some : DecisionHistory.empty(log.tableId());
            if (stored.writeNumber() == log.historyNumber()) {
                keepHistory(stored, ok.value().version());
                found(log, nodeVersion, completion);
            } else if (attempt + 1 < HISTORY_ATTEMPTS_MAX) {
                read(attempt + 1, completion);
            } else {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.UNAVAILABLE, "the log of table " + table + " changes faster than it is read")));
            }
        });
    }

    private void keepHistory(DecisionHistory known, int nodeVersion) {
        history = known;
        historyVersion = nodeVersion;
        historyByRequest = null;
    }

    /**
     * Replaces the base in the registry by compare-and-set; with {@code mapVersion} only while the table's map has this version. A write
     * without it moves older decisions to their own node when there are many.
     */
    public void write(TransactionLogState next, @Nullable Integer mapVersion, Consumer<Written> then) {
        DecisionHistory older = history;
        if (older == null) {
            throw new IllegalStateException("the log was not read");
        }
        List<Op> ops = new ArrayList<>();
        if (mapVersion != null) {
            ops.add(new Op.Check(RegistryPaths.map(table), mapVersion));
        }
        boolean parts = mapVersion == null && TransactionLogTransitions.needsTrim(next);
        LogAndOutcomes parted = parts ? TransactionLogTransitions.trim(next, older) : new LogAndOutcomes(next, older);
        int at = ops.size();
        ops.add(new Op.Set(path, parted.log(), baseVersion));
        if (parts) {
            ops.add(
                    historyVersion == Registry.ABSENT
                            ? new Op.Create(historyPath, parted.outcomes(), false)
                            : new Op.Set(historyPath, parted.outcomes(), historyVersion));
        }
        registry.multi(ops, written -> {
            if (written instanceof Outcome.Ok<MultiResult> ok && ok.value().applied()) {
                base = parted.log();
                baseVersion = ok.value().versions().get(at);
                if (parts) {
                    keepHistory(parted.outcomes(), ok.value().versions().get(at + 1));
                }
                offer(parted.log(), baseVersion);
                then.accept(Written.DONE);
            } else if (mapVersion != null
                    && written instanceof Outcome.Ok<MultiResult> ok
                    && ok.value().conflict() == 0) {
                then.accept(Written.OTHER_MAP);
            } else {
                base = null;
                history = parts ? null : history;
                then.accept(Written.UNKNOWN);
            }
        });
    }
}
