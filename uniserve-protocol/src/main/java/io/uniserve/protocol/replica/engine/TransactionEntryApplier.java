package io.uniserve.protocol.replica.engine;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.LogEntry;
import java.util.ArrayList;
import java.util.List;

/** Calls of the engine for entries of atomic updates: one call per entry, in the order of the log. */
final class TransactionEntryApplier {
    private TransactionEntryApplier() {}

    static boolean isTransactional(LogEntry entry) {
        return entry.type() == LogEntry.Type.PREPARE || entry.type() == LogEntry.Type.DECIDE;
    }

    /**
     * The entries of the next call: the first entry alone if it belongs to an atomic update, else all entries before the first such one.
     */
    static List<LogEntry> nextCall(List<LogEntry> entries) {
        if (isTransactional(entries.get(0))) {
            return entries.subList(0, 1);
        }
        int end = 1;
        while (end < entries.size() && !isTransactional(entries.get(end))) {
            end++;
        }
        return entries.subList(0, end);
    }

    static void call(EngineHost engine, ReplicaKey key, LogEntry entry, Completion<Done> completion) {
        if (entry.type() == LogEntry.Type.DECIDE) {
            engine.decide(key, entry.version(), entry.isCommit(), completion);
            return;
        }
        List<EngineHost.Update> batches = new ArrayList<>();
        for (BatchRows batch : entry.batches()) {
            batches.add(new EngineHost.Update(entry.index(), batch.function(), batch.rows()));
        }
        engine.prepare(key, entry.version(), batches, completion);
    }

    /**
     * Number of failed attempts after which an entry is refused. If the port reports rows as invalid during a prepare, one attempt is
     * enough.
     */
    static int attemptsBeforeRefusal(LogEntry entry, ErrorCode code) {
        boolean told = code == ErrorCode.INVALID_ROW || code == ErrorCode.INVALID_ARGUMENT;
        return entry.type() == LogEntry.Type.PREPARE && told ? 1 : Limits.UPDATE_APPLY_ATTEMPTS;
    }

    /** The entry as one update, for the handling of a failure. */
    static EngineHost.Update toUpdate(LogEntry entry) {
        return new EngineHost.Update(entry.index(), entry.function(), entry.rows());
    }
}
