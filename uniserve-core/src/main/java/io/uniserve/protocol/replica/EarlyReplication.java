package io.uniserve.protocol.replica;

import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a primary gives its in-sync replicas before it has it on disk: a PREPARE that its engine has prepared, with the decision
 * before it. So they write while it writes. What was given so and is then not on its disk, another one of them may have:
 * of its epoch, at an index that this primary would use again. So it logs nothing more in this epoch: it is spent. That
 * is known after a write that failed; and after a restart nothing is known, so whoever finds its epoch begun is spent too.
 */
final class EarlyReplication {
    private final ReplicaLog log;
    private final Supplier<@Nullable EngineApplier> engine;
    private final boolean atomic;
    private long prepare;
    private long given;
    private boolean spent;

    /** @param atomic false for a table that has no PREPAREs */
    EarlyReplication(ReplicaLog log, Supplier<@Nullable EngineApplier> engine, boolean atomic) {
        this.log = log;
        this.engine = engine;
        this.atomic = atomic;
    }

    /** The primary begins, in an epoch with so many in-sync replicas. */
    void begin(long epoch, int inSync) {
        spent = atomic && inSync > 1 && log.lastEpoch() == epoch;
    }

    /** True when nothing may be logged in this epoch any more. */
    boolean spent() {
        return spent;
    }

    /** The last index that was given to in-sync replicas, or may have been, before it was on disk here; 0 for none. */
    long given() {
        return given;
    }

    /** The primary has logged this part of an atomic update, or its decision. */
    void logged(LogEntry entry) {
        EngineApplier here = engine.get();
        if (entry.type() == LogEntry.Type.PREPARE && here != null) {
            prepare = entry.index();
            here.runAhead(prepare);
        }
    }

    /** The engine has what the log has up to this index. */
    void applied(long index) {
        if (index >= prepare && prepare > log.durableIndex()) {
            given = Math.max(given, prepare);
        }
    }

    /** Entries from this one on could not be written and are gone from the log, in an epoch with so many in-sync replicas. */
    void appendFailed(long from, int inSync) {
        spent |= given >= from && inSync > 1;
        given = Math.min(given, from - 1);
        prepare = Math.min(prepare, from - 1);
    }
}
