package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableLog;
import io.uniserve.model.TableLog.Decision;
import io.uniserve.model.TableName;
import io.uniserve.model.TableOutcomes;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.ToldLog;
import io.uniserve.protocol.tx.LogSteps.Parted;
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
final class LogCell {
    private static final int ATTEMPTS_MAX = 4;

    private final Registry registry;
    private final Disclosure disclosure;
    private final TableName table;
    private final String path;
    private final String outcomesPath;
    private final LogSeen seen;
    private @Nullable TableLog value;
    private int version;
    private @Nullable TableOutcomes outcomes;
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
    LogCell(Registry registry, Disclosure disclosure, TableName table, long tableId, LogSeen seen) {
        this.seen = seen;
        this.registry = registry;
        this.disclosure = disclosure;
        this.table = table;
        this.path = RegistryPaths.log(table, tableId);
        this.outcomesPath = RegistryPaths.outcomes(table, tableId);
    }

    /** What was read or written last, null where that is not known. */
    @Nullable
    TableLog value() {
        return value;
    }

    /** The same as other servers may be told it. */
    @Nullable
    ToldLog told() {
        TableLog known = value;
        return known == null ? null : new ToldLog(known, version);
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
        TableLog log = value;
        TableOutcomes older = outcomes;
        if (log == null || older == null) {
            throw new IllegalStateException("the log is not known");
        }
        Optional<Decision> recent = LogSteps.lastOf(log, request);
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
    void read(Completion<TableLog> completion) {
        value = null;
        registry.sync(synced -> read(0, completion));
    }

    private void read(int attempt, Completion<TableLog> completion) {
        disclosure.read(path, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TableLog log) {
                TableOutcomes known = outcomes;
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

    private void found(TableLog log, int nodeVersion, Completion<TableLog> completion) {
        value = log;
        version = nodeVersion;
        seen.seen(log, nodeVersion);
        completion.done(Outcome.ok(log));
    }

    private void readOutcomes(TableLog log, int nodeVersion, int attempt, Completion<TableLog> completion) {
        registry.read(outcomesPath, read -> {
            if (!(read instanceof Outcome.Ok<Versioned> ok)) {
                completion.done(Outcome.err(((Outcome.Err<Versioned>) read).error()));
                return;
            }
            TableOutcomes stored =
                    ok.value().value() instanceof TableOutcomes some ? some : TableOutcomes.none(log.tableId());
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

    private void keep(TableOutcomes known, int nodeVersion) {
        outcomes = known;
        outcomesVersion = nodeVersion;
        byRequest = null;
    }

    /**
     * Replaces the value that is known here; with {@code mapVersion} only while the table's map has this version. Another write
     * than that moves older decisions to the outcomes when there are many.
     */
    void write(TableLog next, @Nullable Integer mapVersion, Consumer<Written> then) {
        TableOutcomes older = outcomes;
        if (older == null) {
            throw new IllegalStateException("the log was not read");
        }
        List<Op> ops = new ArrayList<>();
        if (mapVersion != null) {
            ops.add(new Op.Check(RegistryPaths.map(table), mapVersion));
        }
        boolean parts = mapVersion == null && LogSteps.crowded(next);
        Parted parted = parts ? LogSteps.part(next, older) : new Parted(next, older);
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
