package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.Batch;
import io.uniserve.model.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.UncommittedClaim;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Vote;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One atomic update version in the prepare phase, at its transaction manager. It sends PREPARE to the primaries of all participants and
 * collects their votes. The version may commit only when every participant has, in one map, the epoch of its vote. A vote of another epoch
 * does not count, and the PREPARE is sent again.
 */
final class Transaction {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final TableName table;
    private final long tableId;
    private final long previous;
    private final Listener listener;
    private final TransactionLogPublisher transactionLogPublisher;
    private final TreeMap<Integer, Part> parts = new TreeMap<>();
    final long version;
    final long begunNanos;
    final long deadlineNanos;
    final List<QueuedUpdate> updates;
    /** This manager has certainly started the version itself. */
    private boolean mine;

    private Phase phase = Phase.PREPARING;
    /** Time of the first commit that was sent: that one may be applied later, whatever is tried again. */
    private long committingNanos;

    private long bytes;

    private enum Phase {
        PREPARING,
        COMMITTING,
        ENDED
    }

    /** Callbacks for the votes of participants. */
    interface Listener {
        void voted();

        /** A participant has no room for its rows. */
        void obstructed();

        void refused(@Nullable RequestId request, String reason);

        /** A participant does not have all staged rows of these requests. */
        void gone(List<RequestId> requests);

        /** A participant has already logged the decision on this version. */
        void decidedElsewhere();
    }

    /** Participants without a vote in their current epoch whose last reply was an error, a time-out or a retry. */
    List<Integer> absent() {
        TransactionContext.Table known = host.table(table);
        List<Integer> absent = new ArrayList<>();
        parts.forEach((actor, part) -> {
            if (part.troubled
                    && (known == null
                            || part.voted != known.map().actors().get(actor).epoch())) {
                absent.add(actor);
            }
        });
        return absent;
    }

    /** Participants that have voted yes, in any epoch. */
    List<Integer> present() {
        return parts.entrySet().stream()
                .filter(entry -> entry.getValue().voted > 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The reason for which a reachable primary rejects rows at present. If it persists, it is the error of the participant's updates. */
    record Obstacle(ErrorCode code, String reason) {}

    /** The obstacles of participants, by actor, from their last replies. */
    TreeMap<Integer, Obstacle> obstacles() {
        TreeMap<Integer, Obstacle> obstacles = new TreeMap<>();
        parts.forEach((actor, part) -> {
            if (part.obstacle != null) {
                obstacles.put(actor, part.obstacle);
            }
        });
        return obstacles;
    }

    /** True if a participant's log is full. Waiting does not help: a log stays full for longer than a version may be in flight. */
    boolean full() {
        return parts.values().stream()
                .anyMatch(part -> part.obstacle != null && part.obstacle.code() == ErrorCode.LOG_FULL);
    }

    private static @Nullable Obstacle obstacle(int actor, Vote vote) {
        ErrorCode code = vote.code();
        boolean told = code == ErrorCode.LOG_FULL || code == ErrorCode.NOT_ENOUGH_REPLICAS;
        return code != null && told ? new Obstacle(code, "actor " + actor + ": " + vote.reason()) : null;
    }

    private static final class Part {
        private final int actor;
        private final List<BatchRows> batches = new ArrayList<>();
        private long voted;
        private boolean asking;
        private boolean troubled;
        private boolean timedOut;
        private long askedAt;
        private @Nullable Obstacle obstacle;

        private Part(int actor) {
            this.actor = actor;
        }
    }

    /** @param previous the newest committed version; it cannot change while this one is in flight */
    Transaction(
            TransactionContext host,
            TransactionConfig config,
            TableName table,
            long tableId,
            long version,
            long previous,
            List<QueuedUpdate> updates,
            TransactionLogPublisher transactionLogPublisher,
            Listener listener) {
        this.transactionLogPublisher = transactionLogPublisher;
        this.host = host;
        this.config = config;
        this.table = table;
        this.tableId = tableId;
        this.version = version;
        this.previous = previous;
        this.updates = List.copyOf(updates);
        this.listener = listener;
        this.begunNanos = host.env().clock().nanos();
        for (QueuedUpdate update : updates) {
            for (ActorRows rows : update.request.actors()) {
                Part part = parts.computeIfAbsent(rows.actor(), Part::new);
                part.batches.add(
                        new BatchRows(update.request.request(), update.request.function(), rows.rows(), rows.staged()));
                bytes += rows.bytes();
            }
        }
        this.deadlineNanos = begunNanos + config.timeoutNanos(bytes);
    }

    /** Time after the start when participants without a vote count as absent, in nanoseconds. */
    long absenceNanos() {
        return config.absenceNanos() + TransactionConfig.nanosFor(bytes);
    }

    List<Integer> participants() {
        return List.copyOf(parts.keySet());
    }

    /** The transaction log with this version's participants and requests. If the version was started ahead, only this manager has them. */
    TransactionLogState named(TransactionLogState known) {
        InFlight flight = known.inFlight();
        List<Batch> batches = updates.stream().map(update -> update.batch).toList();
        return flight != null && flight.ahead()
                ? TransactionLogTransitions.name(known, participants(), batches, bytes)
                : known;
    }

    /** Size of all rows, in bytes. */
    long bytes() {
        return bytes;
    }

    /**
     * True if this manager can claim "not visible" for the version: it is this version, and certainly no reader has seen its commit. Either
     * this manager, the only one that can commit the version, has not tried to. Or it tried so recently that other servers still withhold a
     * commit that they find in ZooKeeper.
     */
    boolean undisclosed(long asked) {
        long since = host.env().clock().nanos() - committingNanos;
        return version == asked && mine && (phase == Phase.PREPARING || since < config.denyNanos());
    }

    /** Called just before the commit is sent. */
    void committing(long now) {
        if (phase == Phase.PREPARING) {
            committingNanos = now;
            phase = Phase.COMMITTING;
        }
        deny(committingNanos + config.denyNanos());
    }

    /** True when its commit was sent at least once. */
    boolean isCommitting() {
        return phase == Phase.COMMITTING;
    }

    /** @param here this driver, and nobody else, has begun it */
    void begun(boolean here) {
        mine = here;
        deny(deadlineNanos);
    }

    boolean mine() {
        return mine;
    }

    /** Publishes the claim of {@link #undisclosed} to read threads, which then need not call the event loop. */
    private void deny(long untilNanos) {
        if (mine) {
            host.denies(tableId, new UncommittedClaim(version, untilNanos));
        }
    }

    /** Ends this transaction: sends no more requests, ignores late replies and withdraws the claim. */
    void end() {
        phase = Phase.ENDED;
        host.denies(tableId, UncommittedClaim.NONE);
    }

    /** Sends PREPARE to each participant that has not voted in its current epoch. */
    void ask(long now) {
        TransactionContext.Table known = host.table(table);
        if (phase == Phase.ENDED || known == null || known.meta().tableId() != tableId) {
            return;
        }
        for (Map.Entry<Integer, Part> entry : parts.entrySet()) {
            ActorState state = known.map().actors().get(entry.getKey());
            Part part = entry.getValue();
            boolean pause = part.askedAt != 0 && now - part.askedAt < 2 * config.retryNanos();
            if (part.voted != state.epoch() && !part.asking && !pause) {
                ask(state, part, now);
            }
        }
    }

    private void ask(ActorState state, Part part, long now) {
        Address primary = host.addressOf(state.primary());
        part.askedAt = now;
        if (primary == null) {
            part.troubled = true;
            return;
        }
        part.asking = true;
        ReplicaKey key = new ReplicaKey(tableId, state.actor());
        List<BatchRows> rows = part.timedOut ? List.of() : part.batches; // the earlier PREPARE may still arrive
        PeerRequest request = new PeerRequest.Prepare(
                table,
                key,
                state.epoch(),
                version,
                previous,
                parts.size(),
                rows,
                transactionLogPublisher.news(state.primary()));
        long timeout = config.rpcTimeoutNanos() + TransactionConfig.nanosFor(bytes);
        host.env().network().call(primary, request, timeout, reply -> {
            part.asking = false;
            if (phase != Phase.ENDED) {
                heard(part, state.epoch(), rows, reply);
            }
        });
    }

    private void heard(Part part, long asked, List<BatchRows> sent, Outcome<PeerReply> reply) {
        if (!(reply instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof Vote vote)) {
            part.troubled = true;
            part.obstacle = null;
            part.timedOut =
                    reply instanceof Outcome.Err<PeerReply> err && err.error().code() == ErrorCode.DEADLINE_EXCEEDED;
            host.refresh(table);
            return;
        }
        part.timedOut = false;
        part.obstacle = obstacle(part.actor, vote);
        switch (vote.kind()) {
            case YES -> {
                part.voted = vote.epoch();
                listener.voted();
            }
            case NO -> listener.refused(vote.refused(), vote.reason());
            case ROWS -> {
                List<RequestId> staged = sent.stream()
                        .filter(batch -> batch.staged() != null)
                        .map(BatchRows::request)
                        .toList();
                if (staged.isEmpty()) {
                    part.askedAt = 0;
                } else {
                    listener.gone(staged);
                }
            }
            case DECIDED -> listener.decidedElsewhere();
            case LATER -> {
                part.troubled = true;
                if (vote.epoch() > asked) {
                    host.refresh(table);
                }
                if (full()) {
                    listener.obstructed();
                }
            }
        }
    }

    /** The map in which every participant has the epoch of its vote; null if there is none yet. */
    TransactionContext.@Nullable Table prepared() {
        TransactionContext.Table known = host.table(table);
        if (known == null || known.meta().tableId() != tableId) {
            return null;
        }
        for (Map.Entry<Integer, Part> entry : parts.entrySet()) {
            if (entry.getValue().voted
                    != known.map().actors().get(entry.getKey()).epoch()) {
                return null;
            }
        }
        return known;
    }
}
