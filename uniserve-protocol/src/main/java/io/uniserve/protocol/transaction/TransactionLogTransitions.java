package io.uniserve.protocol.transaction;

import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** State transitions of a table's transaction log. Pure functions: each returns the next value, for a compare-and-set to write. */
public final class TransactionLogTransitions {
    /** All decisions share one znode, so reasons must be short. */
    private static final int REASON_CHARS_MAX = 256;

    private TransactionLogTransitions() {}

    /** Starts the next version with these batches. Requires that no version is in flight. */
    public static TransactionLogState begin(
            TransactionLogState log, ServerId manager, List<Integer> participants, List<Batch> batches, long bytes) {
        if (log.inFlight() != null) {
            throw new IllegalStateException("version " + log.inFlight().version() + " is in flight");
        }
        InFlight inFlight = new InFlight(log.nextVersion(), manager, participants, batches, bytes);
        return new TransactionLogState(
                log.tableId(),
                log.committedVersion(),
                log.nextVersion() + 1,
                inFlight,
                log.decisions(),
                log.newestForgottenVersion(),
                log.historyNumber(),
                log.chunkVersions());
    }

    /**
     * Starts the next version for this manager, which adds participants and batches with its decision. Requires that no version is in
     * flight.
     */
    public static TransactionLogState reserve(TransactionLogState log, ServerId manager) {
        return begin(log, manager, List.of(), List.of(), 0);
    }

    /** Adds participants and batches to the version that was started ahead. */
    public static TransactionLogState addParticipants(
            TransactionLogState log, List<Integer> participants, List<Batch> batches, long bytes) {
        InFlight flight = requireReserved(log);
        return log.withInFlight(new InFlight(flight.version(), flight.manager(), participants, batches, bytes));
    }

    /** Releases a version that was started ahead and never prepared. No update ever gets that version. */
    public static TransactionLogState release(TransactionLogState log) {
        requireReserved(log);
        return log.withInFlight(null);
    }

    /**
     * Aborts a version that another manager has started ahead. Only that manager has the list of participants, so all actors of the table
     * must log the abort before it may be forgotten.
     *
     * @param actors numbers of all actors of the table's map, ascending
     */
    public static TransactionLogState abortReserved(TransactionLogState log, List<Integer> actors, String reason) {
        return abort(addParticipants(log, actors, List.of(), 0), List.of(), reason);
    }

    private static InFlight requireReserved(TransactionLogState log) {
        InFlight flight = log.inFlight();
        if (flight == null || !flight.isStartedAhead()) {
            throw new IllegalStateException("no version was started ahead");
        }
        return flight;
    }

    /** Commits the version in flight. */
    public static TransactionLogState commit(TransactionLogState log) {
        return decide(log, true, List.of(), "");
    }

    /**
     * Commits the version in flight of a table that may be partitioned by time.
     *
     * @param expiredBefore ordinal of the first chunk that is not expired, by the map that the commit checks
     */
    public static TransactionLogState commit(TransactionLogState log, Partitioner partitioner, int expiredBefore) {
        TransactionLogState committed = commit(log);
        InFlight ended = log.inFlight();
        if (!(partitioner instanceof Partitioner.Time time)
                || ended == null
                || ended.participants().isEmpty()) {
            return committed;
        }
        int newest = time.ordinalOf(Collections.max(ended.participants()));
        return committed.withChunkVersions(
                committed.chunkVersions().withCommit(ended.version(), newest, expiredBefore));
    }

    /**
     * Aborts the version in flight.
     *
     * @param refused requests with rows that caused the abort
     */
    public static TransactionLogState abort(TransactionLogState log, List<RequestId> refused, String reason) {
        boolean fits = reason.length() <= REASON_CHARS_MAX;
        return decide(log, false, refused, fits ? reason : reason.substring(0, REASON_CHARS_MAX));
    }

    private static TransactionLogState decide(
            TransactionLogState log, boolean commit, List<RequestId> refused, String reason) {
        InFlight ended = log.inFlight();
        if (ended == null) {
            throw new IllegalStateException("no version is in flight");
        }
        List<Decision> decisions = new ArrayList<>(log.decisions());
        decisions.add(new Decision(ended.version(), commit, ended.batches(), refused, reason, ended.participants()));
        long version = commit ? ended.version() : log.committedVersion();
        return new TransactionLogState(
                log.tableId(),
                version,
                log.nextVersion(),
                null,
                decisions,
                log.newestForgottenVersion(),
                log.historyNumber(),
                log.chunkVersions());
    }

    /**
     * Removes actors that have logged these decisions from the decisions' lists of participants.
     *
     * @param acked actors by version
     */
    public static TransactionLogState removeAcked(TransactionLogState log, Map<Long, ? extends Set<Integer>> acked) {
        List<Decision> decisions = new ArrayList<>();
        for (Decision decision : log.decisions()) {
            Set<Integer> gone = acked.get(decision.version());
            decisions.add(gone == null ? decision : without(decision, gone));
        }
        return log.withDecisions(decisions);
    }

    private static Decision without(Decision decision, Set<Integer> gone) {
        return decision.withUnacked(decision.unackedParticipants().stream()
                .filter(actor -> !gone.contains(actor))
                .toList());
    }

    private static TransactionLogState with(
            TransactionLogState log, List<Decision> decisions, long forgotten, long outcomes) {
        return new TransactionLogState(
                log.tableId(),
                log.committedVersion(),
                log.nextVersion(),
                log.inFlight(),
                decisions,
                forgotten,
                outcomes,
                log.chunkVersions());
    }

    /** A transaction log and its older outcomes. */
    public record LogAndOutcomes(TransactionLogState log, DecisionHistory outcomes) {}

    /** True if so many decisions are needed only by retries that the older ones are to move to the outcomes node. */
    public static boolean needsTrim(TransactionLogState log) {
        int settled = 0;
        for (Decision decision : log.decisions()) {
            settled += decision.unackedParticipants().isEmpty()
                    ? decision.batches().size()
                    : 0;
        }
        return settled > Limits.TABLE_DECISIONS_RECENT_MAX;
    }

    /**
     * Moves all but the newest decisions that every participant has logged to the outcomes, which must be written in the same multi as the
     * log. Beyond the limit the oldest outcomes are forgotten. An absent actor holds back only the decisions that it participates in.
     */
    public static LogAndOutcomes trim(TransactionLogState log, DecisionHistory outcomes) {
        if (log.tableId() != outcomes.tableId() || log.historyNumber() != outcomes.writeNumber()) {
            throw new IllegalStateException("outcomes " + outcomes.writeNumber() + " of table " + outcomes.tableId()
                    + " do not belong to the log of table " + log.tableId() + ", which needs " + log.historyNumber());
        }
        List<Decision> moved = new ArrayList<>(outcomes.decisions());
        List<Decision> stay = new ArrayList<>();
        int settled = 0;
        for (int i = log.decisions().size() - 1; i >= 0; i--) {
            Decision decision = log.decisions().get(i);
            settled += decision.unackedParticipants().isEmpty()
                    ? decision.batches().size()
                    : 0;
            boolean moves = decision.unackedParticipants().isEmpty() && settled > Limits.TABLE_DECISIONS_RECENT_KEPT;
            if (!moves || !decision.batches().isEmpty()) { // a decision without requests is of no use to a retry
                (moves ? moved : stay).add(decision);
            }
        }
        Collections.reverse(stay);
        moved.sort(Comparator.comparingLong(Decision::version));
        List<Decision> kept = withoutAborts(moved, requests(moved) - Limits.TABLE_DECISIONS_KEPT);
        int from = 0;
        int requests = requests(kept);
        while (from < kept.size() && requests - kept.get(from).batches().size() >= Limits.TABLE_DECISIONS_KEPT) {
            requests -= kept.get(from++).batches().size();
        }
        long forgotten = from == 0
                ? log.newestForgottenVersion()
                : Math.max(log.newestForgottenVersion(), kept.get(from - 1).version());
        long number = outcomes.writeNumber() + 1;
        return new LogAndOutcomes(
                with(log, stay, forgotten, number),
                new DecisionHistory(log.tableId(), number, kept.subList(from, kept.size())));
    }

    /**
     * Beyond the limit, aborts are forgotten first, from the oldest on: a retry of an aborted request is then tried again, and does not
     * fail with OUTCOME_EXPIRED. Aborts with refused requests stay, because clients have got that outcome.
     */
    private static List<Decision> withoutAborts(List<Decision> all, int over) {
        int left = over;
        List<Decision> kept = new ArrayList<>();
        for (Decision decision : all) {
            if (left > 0 && !decision.committed() && decision.refusedRequests().isEmpty()) {
                left -= decision.batches().size();
            } else {
                kept.add(decision);
            }
        }
        return kept;
    }

    /** The decision on the version; empty if the version is in flight or the decision is forgotten. */
    public static Optional<Decision> decision(TransactionLogState log, long version) {
        List<Decision> decisions = log.decisions(); // in ascending order; most callers need one of the newest
        for (int i = decisions.size() - 1; i >= 0 && decisions.get(i).version() >= version; i--) {
            if (decisions.get(i).version() == version) {
                return Optional.of(decisions.get(i));
            }
        }
        return Optional.empty();
    }

    /** The decision on the request's last attempt, as far as the log itself has it. Excludes the outcomes node. */
    public static Optional<Decision> lastDecision(TransactionLogState log, RequestId request) {
        List<Decision> decisions = log.decisions();
        for (int i = decisions.size() - 1; i >= 0; i--) {
            Decision decision = decisions.get(i);
            if (decision.batches().stream().anyMatch(b -> b.request().equals(request))) {
                return Optional.of(decision);
            }
        }
        return Optional.empty();
    }

    /** True if the log has no room for another version until participants acknowledge older decisions. */
    public static boolean isFull(TransactionLogState log) {
        return requests(log.decisions()) >= Limits.TABLE_DECISIONS_MAX;
    }

    private static int requests(List<Decision> decisions) {
        int requests = 0;
        for (Decision decision : decisions) {
            requests += decision.batches().size();
        }
        return requests;
    }

    /** True when the version is in flight. */
    public static boolean isInFlight(TransactionLogState log, long version) {
        return log.inFlight() != null && log.inFlight().version() == version;
    }
}
