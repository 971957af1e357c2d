package io.uniserve.protocol.tx;

import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TransactionHistory;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.Batch;
import io.uniserve.model.TransactionLogState.Decision;
import io.uniserve.model.TransactionLogState.InFlight;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The steps that a table's log may take. Pure: each gives the next value, which a compare-and-set writes. */
public final class TransactionLogTransitions {
    /** All decisions are in one node of the registry. */
    private static final int REASON_CHARS_MAX = 256;

    private TransactionLogTransitions() {}

    /** Gives the next version to these batches. Only while none is in flight. */
    public static TransactionLogState begin(
            TransactionLogState log, ServerId driver, List<Integer> participants, List<Batch> batches, long bytes) {
        if (log.inFlight() != null) {
            throw new IllegalStateException("version " + log.inFlight().version() + " is in flight");
        }
        InFlight begun = new InFlight(log.next(), driver, participants, batches, bytes);
        return new TransactionLogState(
                log.tableId(), log.version(), log.next() + 1, begun, log.decisions(), log.forgotten(), log.outcomes());
    }

    /** Gives the next version to this driver, which will say for what with its decision. Only while none is in flight. */
    public static TransactionLogState beginAhead(TransactionLogState log, ServerId driver) {
        return begin(log, driver, List.of(), List.of(), 0);
    }

    /** Says what the version that was begun ahead is for. */
    public static TransactionLogState name(
            TransactionLogState log, List<Integer> participants, List<Batch> batches, long bytes) {
        InFlight flight = begunAhead(log);
        return with(log, new InFlight(flight.version(), flight.driver(), participants, batches, bytes));
    }

    /** Its driver gives up what it has begun ahead and told nobody of: no update ever has that version. */
    public static TransactionLogState release(TransactionLogState log) {
        begunAhead(log);
        return with(log, null);
    }

    /**
     * Aborts what another driver has begun ahead. Nobody else knows its participants, so that all actors of the table have to
     * have the decision before it may be forgotten.
     */
    public static TransactionLogState displace(TransactionLogState log, int actors, String reason) {
        List<Integer> all = IntStream.range(0, actors).boxed().toList();
        return abort(name(log, all, List.of(), 0), List.of(), reason);
    }

    private static InFlight begunAhead(TransactionLogState log) {
        InFlight flight = log.inFlight();
        if (flight == null || !flight.ahead()) {
            throw new IllegalStateException("no version is begun ahead");
        }
        return flight;
    }

    private static TransactionLogState with(TransactionLogState log, @Nullable InFlight flight) {
        return new TransactionLogState(
                log.tableId(), log.version(), log.next(), flight, log.decisions(), log.forgotten(), log.outcomes());
    }

    /** Commits what is in flight. */
    public static TransactionLogState commit(TransactionLogState log) {
        return decide(log, true, List.of(), "");
    }

    /** Aborts what is in flight; {@code refused} names the requests for whose rows it is. */
    public static TransactionLogState abort(TransactionLogState log, List<RequestId> refused, String reason) {
        boolean fits = reason.length() <= REASON_CHARS_MAX;
        return decide(log, false, refused, fits ? reason : reason.substring(0, REASON_CHARS_MAX));
    }

    private static TransactionLogState decide(
            TransactionLogState log, boolean commit, List<RequestId> refused, String reason) {
        InFlight ended = log.inFlight();
        if (ended == null) {
            throw new IllegalStateException("nothing is in flight");
        }
        List<Decision> decisions = new ArrayList<>(log.decisions());
        decisions.add(new Decision(ended.version(), commit, ended.batches(), refused, reason, ended.participants()));
        long version = commit ? ended.version() : log.version();
        return new TransactionLogState(
                log.tableId(), version, log.next(), null, decisions, log.forgotten(), log.outcomes());
    }

    /** Notes that these actors have the decisions on these versions in their logs. */
    public static TransactionLogState strike(TransactionLogState log, Map<Long, ? extends Set<Integer>> acked) {
        List<Decision> decisions = new ArrayList<>();
        for (Decision decision : log.decisions()) {
            Set<Integer> gone = acked.get(decision.version());
            decisions.add(gone == null ? decision : without(decision, gone));
        }
        return with(log, decisions, log.forgotten(), log.outcomes());
    }

    private static Decision without(Decision decision, Set<Integer> gone) {
        return new Decision(
                decision.version(),
                decision.committed(),
                decision.batches(),
                decision.refused(),
                decision.reason(),
                decision.unacked().stream()
                        .filter(actor -> !gone.contains(actor))
                        .toList());
    }

    private static TransactionLogState with(
            TransactionLogState log, List<Decision> decisions, long forgotten, long outcomes) {
        return new TransactionLogState(
                log.tableId(), log.version(), log.next(), log.inFlight(), decisions, forgotten, outcomes);
    }

    /** A table's log, and its older outcomes. */
    public record Parted(TransactionLogState log, TransactionHistory outcomes) {}

    /** True where the log has so many decisions that only retries ask for that older ones are to move to the outcomes. */
    public static boolean crowded(TransactionLogState log) {
        int settled = 0;
        for (Decision decision : log.decisions()) {
            settled += decision.unacked().isEmpty() ? decision.batches().size() : 0;
        }
        return settled > Limits.TABLE_DECISIONS_RECENT_MAX;
    }

    /**
     * Moves what all participants have, but for the newest of it, to the outcomes, which are to be written together with the
     * log. Of more than are kept the oldest are forgotten: one that is away keeps only those it has a part in.
     */
    public static Parted part(TransactionLogState log, TransactionHistory outcomes) {
        if (log.tableId() != outcomes.tableId() || log.outcomes() != outcomes.number()) {
            throw new IllegalStateException("outcomes " + outcomes.number() + " of table " + outcomes.tableId()
                    + " are not those of table " + log.tableId() + " with " + log.outcomes());
        }
        List<Decision> moved = new ArrayList<>(outcomes.decisions());
        List<Decision> stay = new ArrayList<>();
        int settled = 0;
        for (int i = log.decisions().size() - 1; i >= 0; i--) {
            Decision decision = log.decisions().get(i);
            settled += decision.unacked().isEmpty() ? decision.batches().size() : 0;
            boolean moves = decision.unacked().isEmpty() && settled > Limits.TABLE_DECISIONS_RECENT_KEPT;
            if (!moves || !decision.batches().isEmpty()) { // no retry asks for one that was of no request
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
                ? log.forgotten()
                : Math.max(log.forgotten(), kept.get(from - 1).version());
        long number = outcomes.number() + 1;
        return new Parted(
                with(log, stay, forgotten, number),
                new TransactionHistory(log.tableId(), number, kept.subList(from, kept.size())));
    }

    /**
     * Beyond the limit aborts go first, the oldest before others: who asks again for what they undid is to be served, not told
     * that nobody knows. Not those with a refusal, which clients were told of.
     */
    private static List<Decision> withoutAborts(List<Decision> all, int over) {
        int left = over;
        List<Decision> kept = new ArrayList<>();
        for (Decision decision : all) {
            if (left > 0 && !decision.committed() && decision.refused().isEmpty()) {
                left -= decision.batches().size();
            } else {
                kept.add(decision);
            }
        }
        return kept;
    }

    /** What became of the version; empty where it is in flight, or no longer known. */
    public static Optional<Decision> decision(TransactionLogState log, long version) {
        List<Decision> decisions = log.decisions(); // ascending; mostly one of the newest is asked for
        for (int i = decisions.size() - 1; i >= 0 && decisions.get(i).version() >= version; i--) {
            if (decisions.get(i).version() == version) {
                return Optional.of(decisions.get(i));
            }
        }
        return Optional.empty();
    }

    /** What became of the request the last time it was tried, as far as the log itself knows. */
    public static Optional<Decision> lastOf(TransactionLogState log, RequestId request) {
        List<Decision> decisions = log.decisions();
        for (int i = decisions.size() - 1; i >= 0; i--) {
            Decision decision = decisions.get(i);
            if (decision.batches().stream().anyMatch(b -> b.request().equals(request))) {
                return Optional.of(decision);
            }
        }
        return Optional.empty();
    }

    /** True where the log has no room for another version until participants acknowledge older ones. */
    public static boolean full(TransactionLogState log) {
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
    public static boolean inFlight(TransactionLogState log, long version) {
        return log.inFlight() != null && log.inFlight().version() == version;
    }
}
