package io.uniserve.protocol.replica.state;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.message.LogEntry;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Index of the versions in an actor's log, including entries that its engine has not applied. An entry counts from its append, because
 * other processes may then depend on it. The index is complete only while the engine is ready: entries that were on disk at the start are
 * added as they are applied.
 */
public final class VersionIndex {
    public static final long LOG_END = Long.MAX_VALUE;
    public static final long UNDECIDED = -1;
    public static final long FORGOTTEN = -2;
    private static final int FIRST_KEPT = 1_024;

    private final Supplier<VersionState> applied;
    private final LongSupplier earlyAppliedVersion;
    private final TreeMap<Long, LogEntry> unapplied = new TreeMap<>();
    /** First log index per version, for the newest versions. */
    private final TreeMap<Long, Long> first = new TreeMap<>();

    /** @param applied the state by the applied entries */
    VersionIndex(Supplier<VersionState> applied) {
        this(applied, () -> 0);
    }

    /** @param carriedOut the version whose outcome the engine has applied before the log has it, 0 for none */
    public VersionIndex(Supplier<VersionState> applied, LongSupplier carriedOut) {
        this.applied = applied;
        this.earlyAppliedVersion = carriedOut;
    }

    /** Adds an entry that was appended, durable or not. */
    public void onAppended(LogEntry entry) {
        if (VersionState.isVersionEntry(entry)) {
            unapplied.put(entry.index(), withoutRows(entry));
            first.putIfAbsent(entry.version(), entry.index());
            if (first.size() > FIRST_KEPT) {
                first.pollFirstEntry();
            }
        } else {
            unapplied.remove(entry.index()); // an entry of the log before a restart from a checkpoint
        }
    }

    private static LogEntry withoutRows(LogEntry entry) {
        return new LogEntry(
                entry.type(), entry.epoch(), entry.index(), entry.version(), null, 0, entry.function(), Bytes.EMPTY);
    }

    /** Removes entries after this index, which were truncated. */
    public void truncate(long after) {
        unapplied.tailMap(after, false).clear();
        first.values().removeIf(index -> index > after);
    }

    /** Removes entries up to this index, which are applied. */
    public void onApplied(long index) {
        unapplied.headMap(index, true).clear();
    }

    /** The state at the end of the log. */
    public VersionState stateAtEnd() {
        VersionState end = applied.get().copy();
        unapplied.values().forEach(end::record);
        return end;
    }

    /** Index of the PREPARE that is undecided at the end of the log; 0 for none. */
    public long undecidedIndex() {
        VersionState end = stateAtEnd();
        return end.open() == 0 ? 0 : Math.max(1, end.openIndex());
    }

    /**
     * The last index at which the log is complete for this version and earlier ones, and has no entry of a later version.
     *
     * @return {@link #LOG_END} for the end of the log, {@link #UNDECIDED} while the outcome is missing, {@link #FORGOTTEN} if the version
     * is too old
     */
    public long lastIndexOf(long version) {
        VersionState end = stateAtEnd();
        if (end.open() != 0 && end.open() <= version) {
            return UNDECIDED;
        }
        if (end.committed() <= version) { // later versions are aborted and have changed nothing, or one is open
            return end.open() == 0 ? LOG_END : Math.max(1, end.openIndex()) - 1;
        }
        Map.Entry<Long, Long> later = first.higherEntry(version);
        return later == null || first.floorKey(version) == null ? FORGOTTEN : later.getValue() - 1;
    }

    /**
     * The oldest version that is in doubt for readers of this replica, 0 for none. A version that is committed in the log and not applied
     * is still in doubt for a reader. A version that is aborted in the log is not, because readers do not see it. It must not count: a
     * claim that it is not visible says nothing about later versions.
     */
    public long inDoubtVersion() {
        long open = applied.get().open();
        long doubt = open == earlyAppliedVersion.getAsLong() ? 0 : open;
        for (LogEntry entry : unapplied.values()) {
            if (entry.type() == LogEntry.Type.PREPARE) {
                doubt = doubt == 0 ? entry.version() : doubt;
            } else if (entry.version() == doubt && !entry.isCommit()) {
                doubt = 0;
            }
        }
        return doubt;
    }
}
