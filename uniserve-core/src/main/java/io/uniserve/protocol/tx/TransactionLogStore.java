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
 * A manager's copy of the transaction log and of the older outcomes of requests, with compare-and-set writes. After a write without a
 * certain result the log must be read again. The log names the outcomes node that belongs to it, and one multi changes both. So a reader of
 * one after the other can tell whether they match, and reads again if not.
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

    /** Result of a write. */
    enum Written {
        DONE,
        /** The table's map is not the one of the votes. */
        OTHER_MAP,
        /** The log has changed, or the result is unknown: read it again. */
        UNKNOWN
    }

    /** @param seen called with each log that is read or written here */
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

    /** The log that was read or written last; null if it must be read again. */
    @Nullable
    TransactionLogState value() {
        return value;
    }

    /** The same log with its znode version, to be published to other servers. */
    @Nullable
    TransactionLogSnapshot told() {
        TransactionLogState known = value;
        return known == null ? null : new TransactionLogSnapshot(known, version);
    }

    /** Discards the copy: the log may have changed. */
    void forget() {
        value = null;
    }

    /** Another server's log with this znode version was seen: discards the copy if it is older. */
    void seenElsewhere(int nodeVersion) {
        if (nodeVersion > version) {
            value = null;
        }
    }

    /** The decision on the last attempt of the request; empty if there was none, or it is forgotten. */
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

    /** Reads the log after a sync. Fails with TABLE_NOT_FOUND if there is no log of this table number. */
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
                        ErrorCode.UNAVAILABLE, "the log of table " + table + " changed at every attempt to read it")));
            }
        });
    }

    private void keep(TransactionHistory known, int nodeVersion) {
        outcomes = known;
        outcomesVersion = nodeVersion;
        byRequest = null;
    }

    /**
     * Replaces the log that was read or written last, by compare-and-set. A write without {@code mapVersion} also moves older decisions to
     * the outcomes node when there are many.
     *
     * @param mapVersion znode version that the table's map must have; null for no such check
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
