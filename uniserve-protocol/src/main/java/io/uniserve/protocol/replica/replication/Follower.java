package io.uniserve.protocol.replica.replication;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.log.RunningLogHash;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerReply.Replicated.Status;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.replica.storage.LogRetentionBounds;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Follower side of replication in one epoch. It appends entries after a common one, truncates its own entries that conflict, and replies
 * once the entries are on its disk. Entries before the start of its log count as equal, because a checkpoint has only entries up to the
 * high watermark. If there is no common entry at or after the start of the primary's log, it must start over from a checkpoint.
 *
 * <p>Equal index and epoch do not prove equal entries: running hashes are compared as well, see {@link LogHashComparer}. A copy that differs
 * appends nothing and answers no reads, until the primary has decided which side is right.
 */
public final class Follower {
    private final ReplicaLog log;
    private final ReplicaAccess support;
    private final long epoch;
    private final TreeMap<Long, List<Completion<PeerReply>>> waiting = new TreeMap<>();
    private long matchIndex;
    private long primaryBaseIndex;
    private long hashedFrom = Long.MAX_VALUE;
    private long divergedIndex = -1;
    private boolean truncating;
    private boolean storingBaseHash;
    private boolean closed;

    /** Access of a follower to its replica. */
    public interface ReplicaAccess {
        long appliedIndex();

        /** Incarnation of this server. */
        long incarnation();

        /** Truncates the log after this index, then completes. */
        void truncate(long after, Completion<Long> then);

        /** Stores the log's hash at its start offset, on disk and in the log. */
        void storeBaseHash(long baseIndex, long hash, Completion<Done> then);

        /**
         * Restarts from a checkpoint, because the primary's log starts after this index and does not continue this log.
         *
         * @return false if the needed checkpoint in durable storage was found to be damaged
         */
        boolean restartFromCheckpoint(long primaryBase);

        /** The primary's log has other entries at the same indexes. Index -1 means that a message was rejected. */
        void onDiverged(long index, String how);

        /** The logs, which were found to differ, agree now. */
        void onAgreed();
    }

    public Follower(ReplicaLog log, ReplicaAccess parts, long epoch) {
        this.log = log;
        this.support = parts;
        this.epoch = epoch;
    }

    /** The part of the log that only this replica still needs. */
    public LogRetentionBounds retention() {
        return LogRetentionBounds.ofFollower(primaryBaseIndex, matchIndex);
    }

    public void replicate(Replicate request, Completion<PeerReply> completion) {
        primaryBaseIndex = Math.max(primaryBaseIndex, request.baseIndex());
        if (closed) {
            completion.done(Outcome.ok(reply(Status.STALE_EPOCH, log.lastIndex())));
        } else if (truncating || storingBaseHash) {
            completion.done(Outcome.ok(reply(Status.NOT_READY, log.lastIndex())));
        } else if (request.prevIndex() > log.lastIndex()) {
            mismatch(request, log.lastIndex(), completion);
        } else if (request.prevIndex() >= log.baseIndex() && log.epochAt(request.prevIndex()) != request.prevEpoch()) {
            mismatch(request, lastPossibleMatch(request), completion);
        } else {
            compare(request, completion);
        }
    }

    /** True while this log is known to differ from the primary's. */
    public boolean hasDiverged() {
        return divergedIndex >= 0;
    }

    private void compare(Replicate request, Completion<PeerReply> completion) {
        LogHashComparer check = LogHashComparer.of(log, request);
        boolean hashed = request.prevHash() != RunningLogHash.UNKNOWN;
        if (check.isGarbled()) {
            completion.done(Outcome.ok(reply(Status.GARBLED, log.lastIndex())));
        } else if (!hashed && request.prevIndex() >= hashedFrom) {
            support.onDiverged(
                    -1,
                    "rejected a message without the hash of the previous entry, as this epoch's primary sends hashes");
            completion.done(Outcome.ok(reply(Status.NOT_READY, log.lastIndex())));
        } else if (check.divergedIndex() >= 0) {
            long at = check.divergedIndex();
            if (divergedIndex < 0) {
                divergedIndex = at;
                support.onDiverged(at, "running hash here " + RunningLogHash.text(log.hashAt(at)));
            }
            divergedIndex = Math.min(divergedIndex, at);
            completion.done(Outcome.ok(new Replicated(
                    Status.DIFFERS,
                    epoch,
                    at,
                    Math.min(matchIndex, at - 1),
                    support.appliedIndex(),
                    support.incarnation(),
                    log.hashAt(at))));
        } else {
            if (hashed) {
                hashedFrom = Math.min(hashedFrom, request.prevIndex());
                if (divergedIndex >= 0 && request.prevIndex() >= divergedIndex) {
                    divergedIndex = -1;
                    support.onAgreed();
                }
            }
            if (request.lastHash() != RunningLogHash.UNKNOWN) { // later messages start here or after it
                hashedFrom = Math.min(
                        hashedFrom, request.prevIndex() + request.entries().size());
            }
            if (check.baseHash() != RunningLogHash.UNKNOWN && log.lacksBaseHash()) {
                storeBaseHash(check.baseHash(), request, completion);
            } else {
                appendEntries(request, check, completion);
            }
        }
    }

    /**
     * Stores the primary's hash at this log's start before anything else follows. A replica that becomes primary must still have it after a
     * restart.
     */
    private void storeBaseHash(long hash, Replicate request, Completion<PeerReply> completion) {
        storingBaseHash = true;
        support.storeBaseHash(log.baseIndex(), hash, adopted -> {
            storingBaseHash = false;
            if (adopted instanceof Outcome.Err<Done> err) {
                completion.done(Outcome.err(err.error()));
            } else {
                replicate(request, completion);
            }
        });
    }

    private void mismatch(Replicate request, long last, Completion<PeerReply> completion) {
        boolean hopeless = request.prevIndex() <= request.baseIndex();
        Status status = !hopeless
                ? Status.MISMATCH
                : support.restartFromCheckpoint(request.baseIndex()) ? Status.NOT_READY : Status.CHECKPOINT_DAMAGED;
        completion.done(Outcome.ok(reply(status, last)));
    }

    /** The last index before the requested one whose epoch is at most the primary's epoch there. */
    private long lastPossibleMatch(Replicate request) {
        long index = Math.max(request.prevIndex() - 1, log.baseIndex());
        while (index > log.baseIndex() && log.epochAt(index) > request.prevEpoch()) {
            index--;
        }
        return index;
    }

    private void appendEntries(Replicate request, LogHashComparer check, Completion<PeerReply> completion) {
        for (int i = 0; i < request.entries().size(); i++) {
            LogEntry entry = request.entries().get(i);
            if (entry.index() > log.lastIndex()) {
                log.append(entry, check.contentHash(i));
            } else if (entry.index() == log.baseIndex() && entry.epoch() != log.epochAt(entry.index())) {
                completion.done(Outcome.ok(reply(Status.NOT_READY, log.lastIndex())));
                support.restartFromCheckpoint(request.baseIndex());
                return;
            } else if (entry.index() <= log.baseIndex()) {
                continue;
            } else if (log.epochAt(entry.index()) != entry.epoch()) {
                truncateConflict(entry.index(), request, completion);
                return;
            }
        }
        long end = request.prevIndex() + request.entries().size();
        matchIndex = Math.max(matchIndex, end);
        if (log.durableIndex() >= end) {
            completion.done(Outcome.ok(reply(Status.OK, log.lastIndex())));
        } else {
            waiting.computeIfAbsent(end, i -> new ArrayList<>()).add(completion);
        }
    }

    private void truncateConflict(long conflict, Replicate request, Completion<PeerReply> completion) {
        truncating = true;
        support.truncate(conflict - 1, cut -> {
            truncating = false;
            if (cut instanceof Outcome.Err<Long> err) {
                completion.done(Outcome.err(err.error()));
            } else {
                replicate(request, completion);
            }
        });
    }

    /** Handles a completed write of the log. */
    public void onDurable() {
        while (!waiting.isEmpty() && waiting.firstKey() <= log.durableIndex()) {
            waiting.pollFirstEntry().getValue().forEach(c -> c.done(Outcome.ok(reply(Status.OK, log.lastIndex()))));
        }
    }

    /** Handles a failed write of entries from this index on. */
    public void onAppendFailed(long from, UniserveException error) {
        matchIndex = Math.min(matchIndex, from - 1);
        while (!waiting.isEmpty() && waiting.lastKey() >= from) {
            waiting.pollLastEntry().getValue().forEach(c -> c.done(Outcome.err(error)));
        }
    }

    /** Ends the epoch, and replies to all waiting requests. */
    public void close() {
        closed = true;
        while (!waiting.isEmpty()) {
            waiting.pollFirstEntry()
                    .getValue()
                    .forEach(c -> c.done(Outcome.ok(reply(Status.STALE_EPOCH, log.lastIndex()))));
        }
    }

    private Replicated reply(Status status, long last) {
        long durable = Math.min(matchIndex, log.durableIndex());
        return new Replicated(
                status, epoch, last, durable, support.appliedIndex(), support.incarnation(), log.hashAt(durable));
    }
}
