package io.uniserve.model.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Transaction log of an atomic table: lock, sequencer and decisions in one value, so each step of an update is one compare-and-set.
 *
 * @param committedVersion the newest committed version, 0 for none
 * @param nextVersion the version of the next update; no version is used twice
 * @param inFlight the update under way, null for none
 * @param decisions decisions on earlier versions, ascending; a decision is forgotten only when every participant has logged it
 * @param newestForgottenVersion the newest version with a forgotten decision, 0 for none; neither this log nor the outcomes node has it
 * @param historyNumber the number of the {@link DecisionHistory} with older decisions, 0 if there are none yet
 * @param chunkVersions for a TIME table, newest chunks of committed versions; empty for other tables
 */
public record TransactionLogState(
        long tableId,
        long committedVersion,
        long nextVersion,
        @Nullable InFlight inFlight,
        List<Decision> decisions,
        long newestForgottenVersion,
        long historyNumber,
        ChunkVersions chunkVersions)
        implements RegistryValue {
    public TransactionLogState {
        decisions = List.copyOf(decisions);
    }

    /** Log without chunks. */
    public TransactionLogState(
            long tableId,
            long version,
            long next,
            @Nullable InFlight inFlight,
            List<Decision> decisions,
            long forgotten,
            long historyNumber) {
        this(tableId, version, next, inFlight, decisions, forgotten, historyNumber, ChunkVersions.NONE);
    }

    /** Log without older decisions in an outcomes node, and without chunks. */
    public TransactionLogState(
            long tableId,
            long version,
            long next,
            @Nullable InFlight inFlight,
            List<Decision> decisions,
            long forgotten) {
        this(tableId, version, next, inFlight, decisions, forgotten, 0);
    }

    /** Log of a new table. */
    public static TransactionLogState empty(long tableId) {
        return new TransactionLogState(tableId, 0, 1, null, List.of(), 0);
    }

    /**
     * Log of a table that was restored at a version: everything up to it is in durable storage.
     *
     * @param next the version of the next update, above each version that an actor has seen
     * @param expiredBefore ordinal of the first chunk of a TIME table that is not expired, else 0
     */
    public static TransactionLogState restored(long tableId, long version, long next, int expiredBefore) {
        ChunkVersions chunks = ChunkVersions.NONE.withoutChunksBefore(expiredBefore);
        return new TransactionLogState(tableId, version, next, null, List.of(), version, 0, chunks);
    }

    /** The same with this version in flight. */
    public TransactionLogState withInFlight(@Nullable InFlight flight) {
        return new TransactionLogState(
                tableId,
                committedVersion,
                nextVersion,
                flight,
                decisions,
                newestForgottenVersion,
                historyNumber,
                chunkVersions);
    }

    /** The same with these decisions. */
    public TransactionLogState withDecisions(List<Decision> others) {
        return new TransactionLogState(
                tableId,
                committedVersion,
                nextVersion,
                inFlight,
                others,
                newestForgottenVersion,
                historyNumber,
                chunkVersions);
    }

    /** The same with these newest chunks of committed versions. */
    public TransactionLogState withChunkVersions(ChunkVersions chunks) {
        return new TransactionLogState(
                tableId,
                committedVersion,
                nextVersion,
                inFlight,
                decisions,
                newestForgottenVersion,
                historyNumber,
                chunks);
    }

    /** Update of one client: its identity, and the SHA-256 of its content. */
    public record Batch(RequestId request, String sha256) {}

    /**
     * Update under way, or a version that its transaction manager has started ahead. A version started ahead has no participants and
     * batches yet; only its manager knows whether it has an update for it, and which.
     *
     * @param manager the server that is the transaction manager
     * @param participants actors with rows, ascending
     * @param batches the clients' updates that were merged into it
     * @param bytes size of the rows, which determines the time-out
     */
    public record InFlight(
            long version, ServerId manager, List<Integer> participants, List<Batch> batches, long bytes) {
        public InFlight {
            participants = List.copyOf(participants);
            batches = List.copyOf(batches);
        }

        /** True if it was started ahead and its updates are not in the log yet. */
        public boolean isStartedAhead() {
            return batches.isEmpty();
        }
    }

    /**
     * Commit or abort of a version.
     *
     * @param refusedRequests for an abort, the requests whose rows caused it; they are never retried
     * @param reason the reason of the refusal
     * @param unackedParticipants participants that may not have logged the decision yet
     */
    public record Decision(
            long version,
            boolean committed,
            List<Batch> batches,
            List<RequestId> refusedRequests,
            String reason,
            List<Integer> unackedParticipants) {
        public Decision {
            batches = List.copyOf(batches);
            refusedRequests = List.copyOf(refusedRequests);
            unackedParticipants = List.copyOf(unackedParticipants);
        }

        /** The same with these participants that may not have logged it. */
        public Decision withUnacked(List<Integer> participants) {
            return new Decision(version, committed, batches, refusedRequests, reason, participants);
        }

        /** The error of a refused request: CONFLICT if its condition did not hold, which the reason then starts with. */
        public ErrorCode errorCode() {
            return reason.startsWith(ErrorCode.CONFLICT + " ") ? ErrorCode.CONFLICT : ErrorCode.UPDATE_REFUSED;
        }
    }
}
