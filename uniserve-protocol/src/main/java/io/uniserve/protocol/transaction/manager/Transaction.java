package io.uniserve.protocol.transaction.manager;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ChunkVersions;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.UncommittedClaim;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Vote;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.VersionParticipants;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionContext;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
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
    private final ChunkVersions earlierChunks;
    private final Listener listener;
    private final TransactionLogPublisher transactionLogPublisher;
    private final TreeMap<Integer, Participant> participantStates = new TreeMap<>();
    final long version;
    final long startedNanos;
    final long deadlineNanos;
    final List<QueuedUpdate> updates;
    /** This manager has certainly started the version itself. */
    private boolean startedHere;

    private TransactionPhase phase = TransactionPhase.PREPARING;
    /** Time at which the first commit was sent. It may still be applied later than its retries. */
    private long firstCommitNanos;

    private long bytes;

    /** Callbacks for the votes of participants. */
    interface Listener {
        void onVote();

        /** A participant has no room for its rows. */
        void onParticipantFull();

        void onRejected(@Nullable RequestId request, String reason);

        /** A participant does not have all staged rows of these requests. */
        void onStagedRowsMissing(List<RequestId> requests);

        /** A participant has already logged the decision on this version. */
        void onAlreadyDecided();
    }

    /** Participants without a vote in their current epoch whose last reply was an error, a time-out or a retry. */
    List<Integer> absentParticipants() {
        TransactionContext.Table known = host.table(table);
        List<Integer> absent = new ArrayList<>();
        participantStates.forEach((actor, part) -> {
            ActorState state = known == null ? null : known.map().find(actor);
            if (part.lastCallFailed && (state == null || part.votedEpoch != state.epoch())) {
                absent.add(actor);
            }
        });
        return absent;
    }

    /** True if a participant's chunk is expired: this version can never commit. */
    boolean hasExpiredParticipant() {
        TransactionContext.Table known = host.table(table);
        return known != null
                && known.meta().tableId() == tableId
                && participantStates.keySet().stream().anyMatch(known::isExpired);
    }

    /** Participants that have voted yes, in any epoch. */
    List<Integer> yesVoters() {
        return participantStates.entrySet().stream()
                .filter(entry -> entry.getValue().votedEpoch > 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The reason why a reachable primary rejects rows at present. If it persists, it is the error of the participant's updates. */
    record ParticipantError(ErrorCode code, String reason) {}

    /** The obstacles of participants, by actor, from their last replies. */
    TreeMap<Integer, ParticipantError> participantErrors() {
        TreeMap<Integer, ParticipantError> obstacles = new TreeMap<>();
        participantStates.forEach((actor, part) -> {
            if (part.error != null) {
                obstacles.put(actor, part.error);
            }
        });
        return obstacles;
    }

    /** True if a participant's log is full. Waiting does not help: a log stays full for longer than a version may be in flight. */
    boolean hasFullLog() {
        return participantStates.values().stream()
                .anyMatch(part -> part.error != null && part.error.code() == ErrorCode.LOG_FULL);
    }

    private static @Nullable ParticipantError errorOf(int actor, Vote vote) {
        ErrorCode code = vote.code();
        boolean told = code == ErrorCode.LOG_FULL || code == ErrorCode.NOT_ENOUGH_REPLICAS;
        return code != null && told ? new ParticipantError(code, "actor " + actor + ": " + vote.reason()) : null;
    }

    private static final class Participant {
        private final int actor;
        private final List<BatchRows> batches = new ArrayList<>();
        private long votedEpoch;
        private boolean preparePending;
        private boolean lastCallFailed;
        private boolean timedOut;
        private long prepareSentNanos;
        private @Nullable ParticipantError error;

        private Participant(int actor) {
            this.actor = actor;
        }
    }

    /** @param known the transaction log; its newest committed version cannot change while this one is in flight */
    Transaction(
            TransactionContext host,
            TransactionConfig config,
            TableName table,
            long tableId,
            long version,
            TransactionLogState known,
            List<QueuedUpdate> updates,
            TransactionLogPublisher transactionLogPublisher,
            Listener listener) {
        this.transactionLogPublisher = transactionLogPublisher;
        this.host = host;
        this.config = config;
        this.table = table;
        this.tableId = tableId;
        this.version = version;
        this.previous = known.committedVersion();
        this.earlierChunks = known.chunkVersions();
        this.updates = List.copyOf(updates);
        this.listener = listener;
        this.startedNanos = host.env().clock().nanos();
        for (QueuedUpdate update : updates) {
            for (ActorRows rows : update.request.actors()) {
                Participant part = participantStates.computeIfAbsent(rows.actor(), Participant::new);
                part.batches.add(
                        new BatchRows(update.request.request(), update.request.function(), rows.rows(), rows.staged()));
                bytes += rows.bytes();
            }
        }
        this.deadlineNanos = startedNanos + config.timeoutNanos(bytes);
    }

    /** Time after the start when participants without a vote count as absent, in nanoseconds. */
    long absenceNanos() {
        return config.absenceNanos() + TransactionConfig.transferNanos(bytes);
    }

    List<Integer> participants() {
        return List.copyOf(participantStates.keySet());
    }

    /** The transaction log with this version's participants and requests. If the version was started ahead, only this manager has them. */
    TransactionLogState withParticipants(TransactionLogState known) {
        InFlight flight = known.inFlight();
        List<Batch> batches = updates.stream().map(update -> update.batch).toList();
        return flight != null && flight.isStartedAhead()
                ? TransactionLogTransitions.addParticipants(known, participants(), batches, bytes)
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
    boolean canClaimInvisible(long asked) {
        long since = host.env().clock().nanos() - firstCommitNanos;
        return version == asked && startedHere && (phase == TransactionPhase.PREPARING || since < config.claimNanos());
    }

    /** Called just before the commit is sent. */
    void onCommitSent(long now) {
        if (phase == TransactionPhase.PREPARING) {
            firstCommitNanos = now;
            phase = TransactionPhase.COMMITTING;
        }
        publishClaim(firstCommitNanos + config.claimNanos());
    }

    TransactionPhase phase() {
        return phase;
    }

    /** @param here true if this manager has certainly started the version itself */
    void setStartedHere(boolean here) {
        startedHere = here;
        publishClaim(deadlineNanos);
    }

    boolean isStartedHere() {
        return startedHere;
    }

    /** Publishes the claim of {@link #canClaimInvisible} to read threads, which then need not call the event loop. */
    private void publishClaim(long untilNanos) {
        if (startedHere) {
            host.publishUncommittedClaim(tableId, new UncommittedClaim(version, untilNanos));
        }
    }

    /** Ends this transaction: sends no more requests, ignores late replies and withdraws the claim. */
    void end() {
        phase = TransactionPhase.ENDED;
        host.publishUncommittedClaim(tableId, UncommittedClaim.NONE);
    }

    /** Sends PREPARE to each participant that has not voted in its current epoch. */
    void sendPrepares(long now) {
        TransactionContext.Table known = host.table(table);
        if (phase == TransactionPhase.ENDED || known == null || known.meta().tableId() != tableId) {
            return;
        }
        for (Map.Entry<Integer, Participant> entry : participantStates.entrySet()) {
            ActorState state = known.map().find(entry.getKey());
            Participant part = entry.getValue();
            boolean pause = part.prepareSentNanos != 0 && now - part.prepareSentNanos < 2 * config.retryNanos();
            if (state != null && part.votedEpoch != state.epoch() && !part.preparePending && !pause) {
                sendPrepare(known, state, part, now);
            }
        }
    }

    private void sendPrepare(TransactionContext.Table map, ActorState state, Participant part, long now) {
        Address primary = host.addressOf(state.primary());
        part.prepareSentNanos = now;
        if (primary == null) {
            part.lastCallFailed = true;
            return;
        }
        part.preparePending = true;
        ReplicaKey key = new ReplicaKey(tableId, state.actor());
        List<BatchRows> rows = part.timedOut ? List.of() : part.batches; // the earlier PREPARE may still arrive
        PeerRequest request = new PeerRequest.Prepare(
                table,
                key,
                state.epoch(),
                version,
                previous,
                named(map),
                rows,
                transactionLogPublisher.unsentLog(state.primary()));
        long timeout = config.rpcTimeoutNanos() + TransactionConfig.transferNanos(bytes);
        host.env().network().call(primary, request, timeout, reply -> {
            part.preparePending = false;
            if (phase != TransactionPhase.ENDED) {
                onReply(part, state.epoch(), rows, reply);
            }
        });
    }

    private VersionParticipants named(TransactionContext.Table map) {
        return map.meta().partitioner() instanceof Partitioner.Time
                ? VersionParticipants.named(
                        participants(),
                        earlierChunks.withoutChunksBefore(map.map().expiredBefore()))
                : VersionParticipants.counted(participantStates.size());
    }

    private void onReply(Participant part, long asked, List<BatchRows> sent, Outcome<PeerReply> reply) {
        if (!(reply instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof Vote vote)) {
            part.lastCallFailed = true;
            part.error = null;
            part.timedOut =
                    reply instanceof Outcome.Err<PeerReply> err && err.error().code() == ErrorCode.DEADLINE_EXCEEDED;
            host.refresh(table);
            return;
        }
        part.timedOut = false;
        part.error = errorOf(part.actor, vote);
        switch (vote.kind()) {
            case YES -> {
                part.votedEpoch = vote.epoch();
                listener.onVote();
            }
            case NO -> listener.onRejected(vote.rejectedRequest(), vote.reason());
            case ROWS_MISSING -> {
                List<RequestId> staged = sent.stream()
                        .filter(batch -> batch.staged() != null)
                        .map(BatchRows::request)
                        .toList();
                if (staged.isEmpty()) {
                    part.prepareSentNanos = 0;
                } else {
                    listener.onStagedRowsMissing(staged);
                }
            }
            case ALREADY_DECIDED -> listener.onAlreadyDecided();
            case RETRY -> {
                part.lastCallFailed = true;
                if (vote.epoch() > asked) {
                    host.refresh(table);
                }
                if (hasFullLog()) {
                    listener.onParticipantFull();
                }
            }
        }
    }

    /** The map in which every participant has the epoch of its vote; null if there is none yet. */
    TransactionContext.@Nullable Table preparedMap() {
        TransactionContext.Table known = host.table(table);
        if (known == null || known.meta().tableId() != tableId) {
            return null;
        }
        for (Map.Entry<Integer, Participant> entry : participantStates.entrySet()) {
            ActorState state = known.map().find(entry.getKey());
            if (state == null || entry.getValue().votedEpoch != state.epoch()) {
                return null;
            }
        }
        return known;
    }
}
