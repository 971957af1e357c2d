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
 * One version on its way: asks the primaries, and knows when it may be committed: when every participant has voted in the
 * epoch that it has in one and the same map. A vote of another epoch counts for nothing and is asked for again.
 *
 * <p>{@link Phase}: PREPARING -> COMMITTING when its commit is sent the first time -> ENDED when its decision is known, or the manager
 * closes. PREPARING -> ENDED where it is aborted. A commit whose write may have failed stays COMMITTING: it may be applied later.
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
    /** This driver, and nobody else, has begun it. */
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

    /** Hears of votes. */
    interface Listener {
        void voted();

        /** There is no room for the rows of a participant. */
        void obstructed();

        void refused(@Nullable RequestId request, String reason);

        /** A participant does not have all rows of these requests that were staged there. */
        void gone(List<RequestId> requests);

        /** A participant knows that the version is decided. */
        void decidedElsewhere();
    }

    /** Participants that have not voted and have failed to answer as they should. */
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

    /** Participants that have voted, in whatever epoch. */
    List<Integer> present() {
        return parts.entrySet().stream()
                .filter(entry -> entry.getValue().voted > 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Why an actor's primary, which answers, takes no rows: what their updates end with where that lasts. */
    record Obstacle(ErrorCode code, String reason) {}

    /** Of participants, by their last answers. */
    TreeMap<Integer, Obstacle> obstacles() {
        TreeMap<Integer, Obstacle> obstacles = new TreeMap<>();
        parts.forEach((actor, part) -> {
            if (part.obstacle != null) {
                obstacles.put(actor, part.obstacle);
            }
        });
        return obstacles;
    }

    /** True where waiting does not help: a log that is full stays so for longer than a version may be in flight. */
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

    /** @param previous the newest committed version, as long as this one is in flight */
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

    /** When actors that have not voted count as away. */
    long absenceNanos() {
        return config.absenceNanos() + TransactionConfig.nanosFor(bytes);
    }

    List<Integer> participants() {
        return List.copyOf(parts.keySet());
    }

    /** The log with what this version in flight is for, which only its driver knows where it was begun ahead. */
    TransactionLogState named(TransactionLogState known) {
        InFlight flight = known.inFlight();
        List<Batch> batches = updates.stream().map(update -> update.batch).toList();
        return flight != null && flight.ahead()
                ? TransactionLogTransitions.name(known, participants(), batches, bytes)
                : known;
    }

    /** Of its rows. */
    long bytes() {
        return bytes;
    }

    /**
     * True where it is the version asked for and certainly nobody knows that it is committed: this driver has not tried to commit it, as
     * nobody else ever does; or has tried so short a time ago that whoever finds it committed keeps it to himself still.
     */
    boolean undisclosed(long asked) {
        long since = host.env().clock().nanos() - committingNanos;
        return version == asked && mine && (phase == Phase.PREPARING || since < config.denyNanos());
    }

    /** Its commit is about to be sent. */
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

    /** Readers are told what {@link #undisclosed} says, without asking the loop. */
    private void deny(long untilNanos) {
        if (mine) {
            host.denies(tableId, new UncommittedClaim(version, untilNanos));
        }
    }

    /** Nothing more is asked, heard or denied. */
    void end() {
        phase = Phase.ENDED;
        host.denies(tableId, UncommittedClaim.NONE);
    }

    /** Asks whoever has not voted in the epoch that it has now. */
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
        List<BatchRows> rows = part.timedOut ? List.of() : part.batches; // they may be on their way
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

    /** The map in which every participant has voted in its epoch; null while there is none. */
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
