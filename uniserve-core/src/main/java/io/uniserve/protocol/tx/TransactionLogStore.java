package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionHistory;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.Decision;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.TransactionLogSnapshot;
import io.uniserve.protocol.tx.TransactionLogTransitions.Parted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A table's log as a driver knows it, with its older outcomes, and its compare-and-set. Whatever does not certainly apply has
 * to be read again. The log names the outcomes that belong to it; both change in one multi, so a log and outcomes that are
 * read one after the other belong together, or are read again.
 */
final class TransactionLogStore {
    private static final int ATTEMPTS_MAX = 4;

    private final Registry registry;
    private final CommitVisibility commitVisibility;
    private final TableName table;
    private final String path;
    private final String outcomesPath;
    private final TransactionLogListener seen;
    private @Nullable TransactionLogState value;
    private int version;
    private @Nullable TransactionHistory outcomes;
    private int outcomesVersion;
    private @Nullable Map<RequestId, Decision> byRequest;

    /** How a write ended. */
    enum Written {
        DONE,
        /** The table's map is not that of the vote. */
        OTHER_MAP,
        /** The log moved on, or nobody knows: read it again. */
        UNKNOWN
    }

    /** @param seen hears what is read and written here */
    TransactionLogStore(
            Registry registry,
            CommitVisibility commitVisibility,
            TableName table,
            long tableId,
            TransactionLogListener seen) {
        this.seen = seen;
        this.registry = registry;
        this.commitVisibility = commitVisibility;
        this.table = table;
        this.path = RegistryPaths.log(table, tableId);
        this.outcomesPath = RegistryPaths.outcomes(table, tableId);
    }

    /** What was read or written last, null where that is not known. */
    @Nullable
    TransactionLogState value() {
        return value;
    }

    /** The same as other servers may be told it. */
    @Nullable
    TransactionLogSnapshot told() {
        TransactionLogState known = value;
        return known == null ? null : new TransactionLogSnapshot(known, version);
    }

    /** It may be another one by now. */
    void forget() {
        value = null;
    }

    /** A log with this version of its node was seen elsewhere: what is known here is forgotten where it is older. */
    void seenElsewhere(int nodeVersion) {
        if (nodeVersion > version) {
            value = null;
        }
    }

    /** What became of the request the last time it was tried; empty where it was not, or is no longer known. */
    Optional<Decision> lastOf(RequestId request) {
        TransactionLogState log = value;
        TransactionHistory older = outcomes;
        if (log == null || older == null) {
            throw new IllegalStateException("the log is not known");
        }
        Optional<Decision> recent = TransactionLogTransitions.lastOf(log, request);
        Map<RequestId, Decision> index = byRequest;
        if (index == null) {
            Map<RequestId, Decision> all = new LinkedHashMap<>();
            older.decisions()
                    .forEach(decision -> decision.batches().forEach(batch -> all.put(batch.request(), decision)));
            byRequest = all;
            index = all;
        }
        Decision old = index.get(request);
        return old != null && (recent.isEmpty() || recent.get().version() < old.version()) ? Optional.of(old) : recent;
    }

    /** Reads it as of now; TABLE_NOT_FOUND where there is none of this number. */
    void read(Completion<TransactionLogState> completion) {
        value = null;
        registry.sync(synced -> read(0, completion));
    }

    private void read(int attempt, Completion<TransactionLogState> completion) {
        commitVisibility.read(path, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TransactionLogState log) {
                TransactionHistory known = outcomes;
                if (known != null && known.number() == log.outcomes()) {
                    found(log, ok.value().version(), completion);
                } else {
                    readOutcomes(log, ok.value().version(), attempt, completion);
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
        value = log;
        version = nodeVersion;
        seen.seen(log, nodeVersion);
        completion.done(Outcome.ok(log));
    }

    private void readOutcomes(
            TransactionLogState log, int nodeVersion, int attempt, Completion<TransactionLogState> completion) {
        registry.read(outcomesPath, read -> {
            if (!(read instanceof Outcome.Ok<Versioned> ok)) {
                completion.done(Outcome.err(((Outcome.Err<Versioned>) read).error()));
                return;
            }
            TransactionHistory stored = ok.value().value() instanceof TransactionHistory some
                    ? some
                    : TransactionHistory.none(log.tableId());
            if (stored.number() == log.outcomes()) {
                keep(stored, ok.value().version());
                found(log, nodeVersion, completion);
            } else if (attempt + 1 < ATTEMPTS_MAX) {
                read(attempt + 1, completion);
            } else {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.UNAVAILABLE, "the log of table " + table + " changes faster than it is read")));
            }
        });
    }

    private void keep(TransactionHistory known, int nodeVersion) {
        outcomes = known;
        outcomesVersion = nodeVersion;
        byRequest = null;
    }

    /**
     * Replaces the value that is known here; with {@code mapVersion} only while the table's map has this version. Another write
     * than that moves older decisions to the outcomes when there are many.
     */
    void write(TransactionLogState next, @Nullable Integer mapVersion, Consumer<Written> then) {
        TransactionHistory older = outcomes;
        if (older == null) {
            throw new IllegalStateException("the log was not read");
        }
        List<Op> ops = new ArrayList<>();
        if (mapVersion != null) {
            ops.add(new Op.Check(RegistryPaths.map(table), mapVersion));
        }
        boolean parts = mapVersion == null && TransactionLogTransitions.crowded(next);
        Parted parted = parts ? TransactionLogTransitions.part(next, older) : new Parted(next, older);
        int at = ops.size();
        ops.add(new Op.Set(path, parted.log(), version));
        if (parts) {
            ops.add(
                    outcomesVersion == Registry.ABSENT
                            ? new Op.Create(outcomesPath, parted.outcomes(), false)
                            : new Op.Set(outcomesPath, parted.outcomes(), outcomesVersion));
        }
        registry.multi(ops, written -> {
            if (written instanceof Outcome.Ok<MultiResult> ok && ok.value().applied()) {
                value = parted.log();
                version = ok.value().versions().get(at);
                if (parts) {
                    keep(parted.outcomes(), ok.value().versions().get(at + 1));
                }
                seen.seen(parted.log(), version);
                then.accept(Written.DONE);
            } else if (mapVersion != null
                    && written instanceof Outcome.Ok<MultiResult> ok
                    && ok.value().conflict() == 0) {
                then.accept(Written.OTHER_MAP);
            } else {
                value = null;
                outcomes = parts ? null : outcomes;
                then.accept(Written.UNKNOWN);
            }
        });
    }
}
