package io.uniserve.protocol.replica;

import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.EntryHash;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerReply.Replicated.Status;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * The follower's half of replication in one epoch: takes entries that follow one it has, cuts its own entries where they
 * conflict, and answers when what was sent is on its disk. Where its log begins after a checkpoint, what comes before that is
 * taken for equal: a checkpoint holds stable entries only. Where it finds no agreement up to where the primary's log begins, it
 * must start over.
 *
 * <p>Equal indexes and epochs are not taken for equal entries: running hashes are compared, see {@link HashCheck}. A copy that
 * differs takes nothing and answers no reader until the primary has decided which side is right.
 */
final class Follower {
    private final ReplicaLog log;
    private final Parts parts;
    private final long epoch;
    private final TreeMap<Long, List<Completion<PeerReply>>> waiting = new TreeMap<>();
    private long matched;
    private long primaryBase;
    private long hashedFrom = Long.MAX_VALUE;
    private long differsAt = -1;
    private boolean cutting;
    private boolean adopting;
    private boolean closed;

    /** What a follower needs of its replica. */
    interface Parts {
        long applied();

        /** Incarnation of this server. */
        long incarnation();

        /** Cuts the log after this index, then runs the task with the outcome. */
        void cut(long after, Completion<Long> then);

        /** Notes durably and in the log what the log's hash is at its base. */
        void adopt(long baseIndex, long hash, Completion<Done> then);

        /**
         * The primary's log begins after this index and does not go on from here.
         *
         * @return false where the checkpoint in durable storage, which is needed for it, was found damaged
         */
        boolean startOver(long primaryBase);

        /** The primary's log has other entries under the same indexes; or, for index -1, a message was refused. */
        void differs(long index, String how);

        /** The logs were found to differ, and agree after all. */
        void agrees();
    }

    Follower(ReplicaLog log, Parts parts, long epoch) {
        this.log = log;
        this.parts = parts;
        this.epoch = epoch;
    }

    /** What of the log nobody needs but this replica itself. */
    LogRetention retention() {
        return LogRetention.ofFollower(primaryBase, matched);
    }

    void replicate(Replicate request, Completion<PeerReply> completion) {
        primaryBase = Math.max(primaryBase, request.baseIndex());
        if (closed) {
            completion.done(Outcome.ok(reply(Status.STALE_EPOCH, log.lastIndex())));
        } else if (cutting || adopting) {
            completion.done(Outcome.ok(reply(Status.NOT_READY, log.lastIndex())));
        } else if (request.prevIndex() > log.lastIndex()) {
            mismatch(request, log.lastIndex(), completion);
        } else if (request.prevIndex() >= log.baseIndex() && log.epochAt(request.prevIndex()) != request.prevEpoch()) {
            mismatch(request, agreementAtMost(request), completion);
        } else {
            compare(request, completion);
        }
    }

    /** True while this log is known to have other entries than the primary's. */
    boolean differs() {
        return differsAt >= 0;
    }

    private void compare(Replicate request, Completion<PeerReply> completion) {
        HashCheck check = HashCheck.of(log, request);
        boolean hashed = request.prevHash() != EntryHash.UNKNOWN;
        if (check.garbled()) {
            completion.done(Outcome.ok(reply(Status.GARBLED, log.lastIndex())));
        } else if (!hashed && request.prevIndex() >= hashedFrom) {
            parts.differs(
                    -1,
                    "a message without the hash of the log before it, which this epoch's primary sends, is refused");
            completion.done(Outcome.ok(reply(Status.NOT_READY, log.lastIndex())));
        } else if (check.differsAt() >= 0) {
            long at = check.differsAt();
            if (differsAt < 0) {
                differsAt = at;
                parts.differs(at, "running hash here " + EntryHash.text(log.hashAt(at)));
            }
            differsAt = Math.min(differsAt, at);
            completion.done(Outcome.ok(new Replicated(
                    Status.DIFFERS,
                    epoch,
                    at,
                    Math.min(matched, at - 1),
                    parts.applied(),
                    parts.incarnation(),
                    log.hashAt(at))));
        } else {
            if (hashed) {
                hashedFrom = Math.min(hashedFrom, request.prevIndex());
                if (differsAt >= 0 && request.prevIndex() >= differsAt) {
                    differsAt = -1;
                    parts.agrees();
                }
            }
            if (check.atBase() != EntryHash.UNKNOWN && log.lacksBaseHash()) {
                adopt(check.atBase(), request, completion);
            } else {
                take(request, check, completion);
            }
        }
    }

    /** A primary must know after a restart what it knew before: so nothing follows before the hash is on disk. */
    private void adopt(long hash, Replicate request, Completion<PeerReply> completion) {
        adopting = true;
        parts.adopt(log.baseIndex(), hash, adopted -> {
            adopting = false;
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
                : parts.startOver(request.baseIndex()) ? Status.NOT_READY : Status.CHECKPOINT_DAMAGED;
        completion.done(Outcome.ok(reply(status, last)));
    }

    /** The last index before the one asked for whose epoch is not beyond the primary's there. */
    private long agreementAtMost(Replicate request) {
        long index = Math.max(request.prevIndex() - 1, log.baseIndex());
        while (index > log.baseIndex() && log.epochAt(index) > request.prevEpoch()) {
            index--;
        }
        return index;
    }

    private void take(Replicate request, HashCheck check, Completion<PeerReply> completion) {
        for (int i = 0; i < request.entries().size(); i++) {
            LogEntry entry = request.entries().get(i);
            if (entry.index() > log.lastIndex()) {
                log.append(entry, check.content(i));
            } else if (entry.index() == log.baseIndex() && entry.epoch() != log.epochAt(entry.index())) {
                completion.done(Outcome.ok(reply(Status.NOT_READY, log.lastIndex())));
                parts.startOver(request.baseIndex());
                return;
            } else if (entry.index() <= log.baseIndex()) {
                continue;
            } else if (log.epochAt(entry.index()) != entry.epoch()) {
                cutFor(entry.index(), request, completion);
                return;
            }
        }
        long end = request.prevIndex() + request.entries().size();
        matched = Math.max(matched, end);
        if (log.durableIndex() >= end) {
            completion.done(Outcome.ok(reply(Status.OK, log.lastIndex())));
        } else {
            waiting.computeIfAbsent(end, i -> new ArrayList<>()).add(completion);
        }
    }

    private void cutFor(long conflict, Replicate request, Completion<PeerReply> completion) {
        cutting = true;
        parts.cut(conflict - 1, cut -> {
            cutting = false;
            if (cut instanceof Outcome.Err<Long> err) {
                completion.done(Outcome.err(err.error()));
            } else {
                replicate(request, completion);
            }
        });
    }

    /** More of the log is on disk. */
    void durable() {
        while (!waiting.isEmpty() && waiting.firstKey() <= log.durableIndex()) {
            waiting.pollFirstEntry().getValue().forEach(c -> c.done(Outcome.ok(reply(Status.OK, log.lastIndex()))));
        }
    }

    /** Entries from this index on could not be written. */
    void appendFailed(long from, UniserveException error) {
        matched = Math.min(matched, from - 1);
        while (!waiting.isEmpty() && waiting.lastKey() >= from) {
            waiting.pollLastEntry().getValue().forEach(c -> c.done(Outcome.err(error)));
        }
    }

    /** Answers whoever waits: this epoch is over. */
    void close() {
        closed = true;
        while (!waiting.isEmpty()) {
            waiting.pollFirstEntry()
                    .getValue()
                    .forEach(c -> c.done(Outcome.ok(reply(Status.STALE_EPOCH, log.lastIndex()))));
        }
    }

    private Replicated reply(Status status, long last) {
        long durable = Math.min(matched, log.durableIndex());
        return new Replicated(status, epoch, last, durable, parts.applied(), parts.incarnation(), log.hashAt(durable));
    }
}
