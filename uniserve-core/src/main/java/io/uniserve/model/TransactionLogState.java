package io.uniserve.model;

import io.uniserve.error.ErrorCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Versions of a table whose updates are atomic: lock, sequencer and decisions in one value, so that each step of an update
 * is one compare-and-set.
 *
 * @param version the newest committed version, 0 for none
 * @param next the version that the next update gets; no version is given out twice
 * @param inFlight the update under way, null for none
 * @param decisions what became of earlier versions, ascending; one is forgotten only when every participant knows it
 * @param forgotten the newest version whose decision is no longer known, here or among the outcomes; 0 for none
 * @param outcomes the number of the {@link TransactionHistory} that have older decisions, 0 where there are none yet
 */
public record TransactionLogState(
        long tableId,
        long version,
        long next,
        @Nullable InFlight inFlight,
        List<Decision> decisions,
        long forgotten,
        long outcomes)
        implements RegistryValue {
    public TransactionLogState {
        decisions = List.copyOf(decisions);
    }

    /** One whose decisions are all here. */
    public TransactionLogState(
            long tableId,
            long version,
            long next,
            @Nullable InFlight inFlight,
            List<Decision> decisions,
            long forgotten) {
        this(tableId, version, next, inFlight, decisions, forgotten, 0);
    }

    /** That of a new table. */
    public static TransactionLogState empty(long tableId) {
        return new TransactionLogState(tableId, 0, 1, null, List.of(), 0);
    }

    /** One client's update: its identity, and the SHA-256 of what it says. */
    public record Batch(RequestId request, String sha256) {}

    /**
     * An update under way; or a version that its driver has begun ahead, with no participants and batches yet: only that driver
     * knows whether it has an update for it by now, and which.
     *
     * @param driver the server that drives it
     * @param participants actors that have rows, ascending
     * @param batches the clients' updates that were merged into it
     * @param bytes of their rows: how long it may take
     */
    public record InFlight(long version, ServerId driver, List<Integer> participants, List<Batch> batches, long bytes) {
        public InFlight {
            participants = List.copyOf(participants);
            batches = List.copyOf(batches);
        }

        /** True where the driver has begun it ahead and has not named its updates. */
        public boolean ahead() {
            return batches.isEmpty();
        }
    }

    /**
     * What became of a version.
     *
     * @param refused of an aborted one: the requests for whose rows it was, which are never tried again
     * @param reason why they were refused
     * @param unacked participants that may not have the decision in their logs yet
     */
    public record Decision(
            long version,
            boolean committed,
            List<Batch> batches,
            List<RequestId> refused,
            String reason,
            List<Integer> unacked) {
        public Decision {
            batches = List.copyOf(batches);
            refused = List.copyOf(refused);
            unacked = List.copyOf(unacked);
        }

        /** The error of a refused request: CONFLICT where its condition did not hold, as the reason says first. */
        public ErrorCode code() {
            return reason.startsWith(ErrorCode.CONFLICT + " ") ? ErrorCode.CONFLICT : ErrorCode.UPDATE_REFUSED;
        }
    }
}
