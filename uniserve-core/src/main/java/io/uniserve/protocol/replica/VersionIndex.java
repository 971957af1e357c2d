package io.uniserve.protocol.replica;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.message.LogEntry;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What an actor's log says about versions, ahead of what its engine has applied: an entry counts from the moment it is
 * appended, since from then on others may count on it. Complete only while the engine is ready: what was found on disk at
 * the start shows up here as it is applied.
 */
final class VersionIndex {
    static final long LOG_END = Long.MAX_VALUE;
    static final long UNDECIDED = -1;
    static final long FORGOTTEN = -2;
    private static final int FIRST_KEPT = 1_024;

    private final Supplier<VersionState> applied;
    private final LongSupplier carriedOut;
    private final TreeMap<Long, LogEntry> ahead = new TreeMap<>();
    /** Index of the first entry about a version, of the last ones. */
    private final TreeMap<Long, Long> first = new TreeMap<>();

    /** @param applied what the applied entries say */
    VersionIndex(Supplier<VersionState> applied) {
        this(applied, () -> 0);
    }

    /** @param carriedOut the version whose outcome the engine has before its log says it, 0 for none */
    VersionIndex(Supplier<VersionState> applied, LongSupplier carriedOut) {
        this.applied = applied;
        this.carriedOut = carriedOut;
    }

    /** An entry was appended, durable or not. */
    void appended(LogEntry entry) {
        if (VersionState.concerns(entry)) {
            ahead.put(entry.index(), withoutRows(entry));
            first.putIfAbsent(entry.version(), entry.index());
            if (first.size() > FIRST_KEPT) {
                first.pollFirstEntry();
            }
        } else {
            ahead.remove(entry.index()); // of a log that this one has replaced
        }
    }

    private static LogEntry withoutRows(LogEntry entry) {
        return new LogEntry(
                entry.type(), entry.epoch(), entry.index(), entry.version(), null, 0, entry.function(), Bytes.EMPTY);
    }

    /** Entries after this index are gone. */
    void cut(long after) {
        ahead.tailMap(after, false).clear();
        first.values().removeIf(index -> index > after);
    }

    /** Entries up to this index are applied. */
    void applied(long index) {
        ahead.headMap(index, true).clear();
    }

    /** As of the log's end. */
    VersionState end() {
        VersionState end = applied.get().copy();
        ahead.values().forEach(end::record);
        return end;
    }

    /** Index of the entry that prepared the version which is undecided at the log's end; 0 for none. */
    long undecidedAt() {
        VersionState end = end();
        return end.open() == 0 ? 0 : Math.max(1, end.openIndex());
    }

    /**
     * The last index at which the log says all of this version and of those before it, and nothing of a later one: {@link
     * #LOG_END} for its end, {@link #UNDECIDED} while it does not say yet what became of them, {@link #FORGOTTEN} where that is
     * too long ago to know.
     */
    long endOf(long version) {
        VersionState end = end();
        if (end.open() != 0 && end.open() <= version) {
            return UNDECIDED;
        }
        if (end.open() == 0 && end.committed() <= version) {
            return LOG_END; // what comes after it is aborted and has changed nothing
        }
        Map.Entry<Long, Long> later = first.higherEntry(version);
        return later == null || first.floorKey(version) == null ? FORGOTTEN : later.getValue() - 1;
    }

    /**
     * The oldest version that is prepared here and whose outcome readers of this replica do not see yet, 0 for none. One that
     * is committed in the log and not yet applied is still in doubt for a reader. One that is aborted there is not: readers do
     * not see it anyway, and whoever vouches that it is not committed says nothing of those after it.
     */
    long doubt() {
        long open = applied.get().open();
        long doubt = open == carriedOut.getAsLong() ? 0 : open;
        for (LogEntry entry : ahead.values()) {
            if (entry.type() == LogEntry.Type.PREPARE) {
                doubt = doubt == 0 ? entry.version() : doubt;
            } else if (entry.version() == doubt && !entry.commits()) {
                doubt = 0;
            }
        }
        return doubt;
    }
}
