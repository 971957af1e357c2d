package io.uniserve.protocol.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ChunkVersions;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.transaction.TransactionLogTransitions.LogAndOutcomes;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class TransactionLogTransitionsTest {
    private static final ServerId DRIVER = new ServerId("s1");

    private static Batch batch(long sequence) {
        return new Batch(new RequestId(1, 2, sequence), "hash" + sequence);
    }

    private static TransactionLogState begun(TransactionLogState log, long sequence) {
        return TransactionLogTransitions.begin(log, DRIVER, List.of(0, 3), List.of(batch(sequence)), 10);
    }

    @Test
    void aVersionIsGivenOutOnce() {
        TransactionLogState log = begun(TransactionLogState.empty(7), 1);
        assertThat(TransactionLogTransitions.isInFlight(log, 1)).isTrue();
        TransactionLogState aborted = TransactionLogTransitions.abort(log, List.of(), "late");
        TransactionLogState again = begun(aborted, 1);
        assertThat(TransactionLogTransitions.isInFlight(again, 2)).isTrue();
        assertThat(again.committedVersion()).isZero();
        assertThat(TransactionLogTransitions.commit(again).committedVersion()).isEqualTo(2);
    }

    @Test
    void oneVersionIsInFlightAtATime() {
        TransactionLogState log = begun(TransactionLogState.empty(7), 1);
        assertThatThrownBy(() -> begun(log, 2)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> TransactionLogTransitions.commit(TransactionLogTransitions.commit(log)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aVersionBegunAheadIsNamedByItsDecision() {
        TransactionLogState ahead = TransactionLogTransitions.reserve(
                TransactionLogTransitions.commit(begun(TransactionLogState.empty(7), 1)), DRIVER);
        assertThat(TransactionLogTransitions.isInFlight(ahead, 2)).isTrue();
        assertThatThrownBy(() -> begun(ahead, 2)).isInstanceOf(IllegalStateException.class);
        TransactionLogState named = TransactionLogTransitions.addParticipants(ahead, List.of(4), List.of(batch(2)), 10);
        assertThatThrownBy(() -> TransactionLogTransitions.addParticipants(named, List.of(4), List.of(batch(3)), 10))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> TransactionLogTransitions.release(named)).isInstanceOf(IllegalStateException.class);
        Decision decision = TransactionLogTransitions.decision(TransactionLogTransitions.commit(named), 2)
                .orElseThrow();
        assertThat(decision.unackedParticipants()).containsExactly(4);
        assertThat(decision.batches()).containsExactly(batch(2));
        TransactionLogState released = TransactionLogTransitions.release(ahead);
        assertThat(TransactionLogTransitions.isInFlight(begun(released, 2), 3))
                .as("2 is not given out again")
                .isTrue();
        Decision displaced = TransactionLogTransitions.decision(
                        TransactionLogTransitions.abortReserved(ahead, List.of(0, 1, 2), "another"), 2)
                .orElseThrow();
        assertThat(displaced.committed()).isFalse();
        assertThat(displaced.unackedParticipants()).as("all that may have it").containsExactly(0, 1, 2);
    }

    @Test
    void aRequestHasTheOutcomeOfItsLastVersion() {
        TransactionLogState log =
                TransactionLogTransitions.abort(begun(TransactionLogState.empty(7), 1), List.of(), "late");
        assertThat(TransactionLogTransitions.lastDecision(log, batch(1).request())
                        .orElseThrow()
                        .committed())
                .isFalse();
        TransactionLogState committed = TransactionLogTransitions.commit(begun(log, 1));
        assertThat(TransactionLogTransitions.lastDecision(committed, batch(1).request())
                        .orElseThrow()
                        .version())
                .isEqualTo(2);
        assertThat(TransactionLogTransitions.lastDecision(committed, batch(9).request()))
                .isEmpty();
    }

    /** A transaction log and its outcomes node, as a manager writes them. */
    private static LogAndOutcomes written(TransactionLogState log, DecisionHistory outcomes) {
        return TransactionLogTransitions.needsTrim(log)
                ? TransactionLogTransitions.trim(log, outcomes)
                : new LogAndOutcomes(log, outcomes);
    }

    @Test
    void noDecisionIsForgottenThatAParticipantMayNeed() {
        TransactionLogState log = TransactionLogState.empty(7);
        int many = Limits.TABLE_DECISIONS_KEPT + 100;
        for (int i = 1; i <= many; i++) {
            log = TransactionLogTransitions.commit(begun(log, i));
        }
        assertThat(TransactionLogTransitions.needsTrim(log))
                .as("decisions without all acknowledgements stay there")
                .isFalse();
        TransactionLogState half = TransactionLogTransitions.removeAcked(log, Map.of(1L, Set.of(0)));
        assertThat(TransactionLogTransitions.decision(half, 1).orElseThrow().unackedParticipants())
                .containsExactly(3);
        Map<Long, Set<Integer>> all = new TreeMap<>();
        for (long i = 1; i <= many; i++) {
            all.put(i, i == 3 ? Set.of(0) : Set.of(0, 3));
        }
        LogAndOutcomes parted = TransactionLogTransitions.trim(
                TransactionLogTransitions.removeAcked(half, all), DecisionHistory.empty(7));
        assertThat(TransactionLogTransitions.decision(parted.log(), 3)).isPresent();
        assertThat(parted.log().decisions()).hasSize(1 + Limits.TABLE_DECISIONS_RECENT_KEPT);
        assertThat(parted.log().historyNumber()).isEqualTo(1);
        assertThat(parted.outcomes().writeNumber()).isEqualTo(1);
        assertThat(parted.outcomes().decisions()).hasSize(Limits.TABLE_DECISIONS_KEPT);
        long oldest = parted.outcomes().decisions().get(0).version();
        assertThat(parted.log().newestForgottenVersion())
                .as("3 does not hold it up")
                .isEqualTo(oldest - 1);
        assertThat(parted.outcomes().decisions()).isSortedAccordingTo(Comparator.comparingLong(Decision::version));
    }

    @Test
    void outcomesAreThoseThatTheLogNames() {
        TransactionLogState log = strike(TransactionLogTransitions.commit(begun(TransactionLogState.empty(7), 1)));
        assertThatThrownBy(() -> TransactionLogTransitions.trim(log, new DecisionHistory(7, 1, List.of())))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> TransactionLogTransitions.trim(log, DecisionHistory.empty(6)))
                .isInstanceOf(IllegalStateException.class);
    }

    /** Every outcome is in exactly one place until it is forgotten, and as many are kept as promised. */
    @Test
    void outcomesMoveAndAreKept() {
        LogAndOutcomes now = new LogAndOutcomes(TransactionLogState.empty(7), DecisionHistory.empty(7));
        int most = 0;
        for (int i = 1; i <= 3 * Limits.TABLE_DECISIONS_KEPT; i++) {
            now = written(strike(TransactionLogTransitions.commit(begun(now.log(), i))), now.outcomes());
            most = Math.max(most, now.log().decisions().size());
            List<Decision> known = new ArrayList<>(now.outcomes().decisions());
            known.addAll(now.log().decisions());
            assertThat(known).hasSize((int) (i - now.log().newestForgottenVersion()));
            assertThat(known).hasSizeGreaterThanOrEqualTo(Math.min(i, Limits.TABLE_DECISIONS_KEPT));
        }
        assertThat(most).isEqualTo(Limits.TABLE_DECISIONS_RECENT_MAX);
        assertThat(now.log().historyNumber()).isGreaterThan(Limits.TABLE_DECISIONS_KEPT / 32);
    }

    /** Hundreds of updates that wait for an actor are aborted repeatedly, and all must succeed later. */
    @Test
    void abortsMakeNobodyForgotten() {
        LogAndOutcomes now = new LogAndOutcomes(
                strike(TransactionLogTransitions.commit(begun(TransactionLogState.empty(7), 1))),
                DecisionHistory.empty(7));
        for (int i = 0; i < 2 * Limits.TABLE_DECISIONS_KEPT; i++) {
            now = written(
                    strike(TransactionLogTransitions.abort(begun(now.log(), 2), List.of(), "late")), now.outcomes());
        }
        assertThat(now.log().newestForgottenVersion()).isZero();
        assertThat(now.outcomes().decisions()).hasSizeLessThanOrEqualTo(Limits.TABLE_DECISIONS_KEPT);
        assertThat(now.outcomes().decisions().get(0).batches()).containsExactly(batch(1));
        now = written(
                strike(TransactionLogTransitions.abort(
                        begun(now.log(), 3), List.of(batch(3).request()), "no such field")),
                now.outcomes());
        for (int i = 0; i < 2 * Limits.TABLE_DECISIONS_KEPT; i++) {
            now = written(
                    strike(TransactionLogTransitions.abort(begun(now.log(), 2), List.of(), "late")), now.outcomes());
        }
        assertThat(now.outcomes().decisions().get(1).refusedRequests()).containsExactly(batch(3).request());
    }

    private static TransactionLogState strike(TransactionLogState log) {
        long last = log.decisions().get(log.decisions().size() - 1).version();
        return TransactionLogTransitions.removeAcked(log, Map.of(last, Set.of(0, 3)));
    }

    @Test
    void aRefusalNamesItsRequests() {
        TransactionLogState log = TransactionLogTransitions.begin(
                TransactionLogState.empty(7), DRIVER, List.of(0), List.of(batch(1), batch(2)), 10);
        TransactionLogState aborted =
                TransactionLogTransitions.abort(log, List.of(batch(2).request()), "no such field");
        assertThat(aborted.decisions().get(0).refusedRequests()).containsExactly(batch(2).request());
        assertThat(aborted.inFlight()).isNull();
    }

    @Test
    void aCommitOfATimeTableNotesItsNewestChunk() {
        Partitioner.Time time = new Partitioner.Time(
                "time",
                new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC),
                2,
                Optional.empty(),
                IsoPeriod.parse("ahead", "P1D"));
        List<Batch> batches = List.of(new Batch(new RequestId(1, 1, 1), ""));
        TransactionLogState log = TransactionLogState.empty(7);
        log = TransactionLogTransitions.commit(
                TransactionLogTransitions.begin(log, new ServerId("m"), List.of(8, 21), batches, 1), time, 3);
        assertThat(log.chunkVersions()).isEqualTo(new ChunkVersions(List.of(new ChunkVersions.Entry(1, 10)), 3));
        log = TransactionLogTransitions.abort(
                TransactionLogTransitions.begin(log, new ServerId("m"), List.of(30), batches, 1), List.of(), "");
        assertThat(log.chunkVersions().entries()).as("after an abort").hasSize(1);
        log = TransactionLogTransitions.begin(log, new ServerId("m"), List.of(10), batches, 1);
        TransactionLogState byKey = TransactionLogTransitions.commit(log, new Partitioner.Hash(20), 0);
        assertThat(byKey.chunkVersions()).isEqualTo(log.chunkVersions());
        log = TransactionLogTransitions.commit(log, time, 4);
        ChunkVersions both =
                new ChunkVersions(List.of(new ChunkVersions.Entry(1, 10), new ChunkVersions.Entry(3, 5)), 4);
        assertThat(log.chunkVersions()).isEqualTo(both);
        log = TransactionLogTransitions.reserve(log, new ServerId("m"));
        assertThat(TransactionLogTransitions.release(log).chunkVersions()).isEqualTo(both);
        assertThat(TransactionLogTransitions.removeAcked(log, Map.of(1L, Set.of(8)))
                        .chunkVersions())
                .isEqualTo(both);
        assertThat(TransactionLogTransitions.trim(log, new DecisionHistory(7, 0, List.of()))
                        .log()
                        .chunkVersions())
                .isEqualTo(both);
    }
}
