package io.uniserve.protocol.tx;

import io.uniserve.model.TableLog;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A table's log as a driver knows it, and its compare-and-set. Whatever does not certainly apply has to be read again. */
final class LogCell {
    private final Registry registry;
    private final TableName table;
    private final String path;
    private final LogSeen seen;
    private @Nullable TableLog value;
    private int version;
    private boolean writing;

    /** How a write ended. */
    enum Written {
        DONE,
        /** The table's map is not that of the vote. */
        OTHER_MAP,
        /** The log moved on, or nobody knows: read it again. */
        UNKNOWN
    }

    /** @param seen hears what is read and written here */
    LogCell(Registry registry, TableName table, LogSeen seen) {
        this.seen = seen;
        this.registry = registry;
        this.table = table;
        this.path = RegistryPaths.log(table);
    }

    /** What was read or written last, null where that is not known. */
    @Nullable
    TableLog value() {
        return value;
    }

    /** True while a write is under way. */
    boolean writing() {
        return writing;
    }

    /** It may be another one by now. */
    void forget() {
        value = null;
    }

    /** Reads it as of now. */
    void read(Completion<TableLog> completion) {
        value = null;
        registry.sync(synced -> registry.read(path, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TableLog log) {
                value = log;
                version = ok.value().version();
                seen.seen(log, version);
                completion.done(Outcome.ok(log));
            } else if (read instanceof Outcome.Err<Versioned> err) {
                completion.done(Outcome.err(err.error()));
            } else {
                completion.done(Outcome.err(new io.uniserve.error.UniserveException(
                        io.uniserve.error.ErrorCode.TABLE_NOT_FOUND, "table " + table + " has no log")));
            }
        }));
    }

    /** Replaces the value that is known here; with {@code mapVersion} only while the table's map has this version. */
    void write(TableLog next, @Nullable Integer mapVersion, Consumer<Written> then) {
        List<Op> ops = new ArrayList<>();
        if (mapVersion != null) {
            ops.add(new Op.Check(RegistryPaths.map(table), mapVersion));
        }
        ops.add(new Op.Set(path, next, version));
        writing = true;
        registry.multi(ops, written -> {
            writing = false;
            if (!(written instanceof Outcome.Ok<MultiResult> ok)) {
                value = null;
                then.accept(Written.UNKNOWN);
            } else if (ok.value().applied()) {
                value = next;
                version = ok.value().versions().get(ops.size() - 1);
                seen.seen(next, version);
                then.accept(Written.DONE);
            } else if (mapVersion != null && ok.value().conflict() == 0) {
                then.accept(Written.OTHER_MAP);
            } else {
                value = null;
                then.accept(Written.UNKNOWN);
            }
        });
    }
}
