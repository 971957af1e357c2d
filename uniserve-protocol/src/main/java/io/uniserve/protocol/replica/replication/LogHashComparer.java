package io.uniserve.protocol.replica.replication;

import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.log.RunningLogHash;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import java.util.List;

/**
 * Comparison of a primary's message with a follower's log by running hashes. The epochs at {@code prevIndex} are already known to be equal.
 * Unknown hashes are not compared.
 */
final class LogHashComparer {
    private final long[] contentHashes;
    private final boolean garbled;
    private final long divergedIndex;
    private final long baseHash;

    private LogHashComparer(long[] contents, boolean garbled, long differsAt, long atBase) {
        this.contentHashes = contents;
        this.garbled = garbled;
        this.divergedIndex = differsAt;
        this.baseHash = atBase;
    }

    static LogHashComparer of(ReplicaLog log, Replicate request) {
        List<LogEntry> entries = request.entries();
        long[] contents = new long[entries.size()];
        long hash = request.prevHash();
        long differsAt = RunningLogHash.areDifferent(hash, log.hashAt(request.prevIndex())) ? request.prevIndex() : -1;
        long atBase = request.prevIndex() == log.baseIndex() ? hash : RunningLogHash.UNKNOWN;
        boolean overlaps = true;
        for (int i = 0; i < contents.length; i++) {
            LogEntry entry = entries.get(i);
            contents[i] = RunningLogHash.contentHash(entry);
            hash = RunningLogHash.after(hash, entry, contents[i]);
            long index = entry.index();
            atBase = index == log.baseIndex() ? hash : atBase;
            overlaps &= index <= log.lastIndex() && (index < log.baseIndex() || log.epochAt(index) == entry.epoch());
            if (overlaps
                    && differsAt < 0
                    && (log.hasOtherContent(index, contents[i])
                            || RunningLogHash.areDifferent(hash, log.hashAt(index)))) {
                differsAt = index;
            }
        }
        return new LogHashComparer(contents, RunningLogHash.areDifferent(hash, request.lastHash()), differsAt, atBase);
    }

    /** True when the entries do not match the primary's hash, because they changed in transit. */
    boolean isGarbled() {
        return garbled;
    }

    /** First index at which the logs are known to differ at equal epochs; -1 if no difference is known. */
    long divergedIndex() {
        return divergedIndex;
    }

    /** The primary's hash at the start of this log, or {@link RunningLogHash#UNKNOWN} if the message does not show it. */
    long baseHash() {
        return baseHash;
    }

    /** Content hash of the entry at this position of the message. */
    long contentHash(int at) {
        return contentHashes[at];
    }
}
