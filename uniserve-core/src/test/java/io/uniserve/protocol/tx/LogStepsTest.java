package io.uniserve.protocol.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableLog;
import io.uniserve.model.TableLog.Batch;
import io.uniserve.model.TableLog.Decision;
import io.uniserve.model.TableOutcomes;
import io.uniserve.protocol.tx.LogSteps.Parted;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class LogStepsTest {
    private static final ServerId DRIVER = new ServerId("s1");

    private static Batch batch(long sequence) {
        return new Batch(new RequestId(1, 2, sequence), "hash" + sequence);
    }

    private static TableLog begun(TableLog log, long sequence) {
        return LogSteps.begin(log, DRIVER, List.of(0, 3), List.of(batch(sequence)), 10);
    }

    @Test
    void aVersionIsGivenOutOnce() {
        TableLog log = begun(TableLog.empty(7), 1);
        assertThat(LogSteps.inFlight(log, 1)).isTrue();
        TableLog aborted = LogSteps.abort(log, List.of(), "late");
        TableLog again = begun(aborted, 1);
        assertThat(LogSteps.inFlight(again, 2)).isTrue();
        assertThat(again.version()).isZero();
        assertThat(LogSteps.commit(again).version()).isEqualTo(2);
    }

    @Test
    void oneVersionIsInFlightAtATime() {
        TableLog log = begun(TableLog.empty(7), 1);
        assertThatThrownBy(() -> begun(log, 2)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> LogSteps.commit(LogSteps.commit(log))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aVersionBegunAheadIsNamedByItsDecision() {
        TableLog ahead = LogSteps.beginAhead(LogSteps.commit(begun(TableLog.empty(7), 1)), DRIVER);
        assertThat(LogSteps.inFlight(ahead, 2)).isTrue();
        assertThatThrownBy(() -> begun(ahead, 2)).isInstanceOf(IllegalStateException.class);
        TableLog named = LogSteps.name(ahead, List.of(4), List.of(batch(2)), 10);
        assertThatThrownBy(() -> LogSteps.name(named, List.of(4), List.of(batch(3)), 10))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> LogSteps.release(named)).isInstanceOf(IllegalStateException.class);
        Decision decision = LogSteps.decision(LogSteps.commit(named), 2).orElseThrow();
        assertThat(decision.unacked()).containsExactly(4);
        assertThat(decision.batches()).containsExactly(batch(2));
        TableLog released = LogSteps.release(ahead);
        assertThat(LogSteps.inFlight(begun(released, 2), 3))
                .as("2 is not given out again")
                .isTrue();
        Decision displaced =
                LogSteps.decision(LogSteps.displace(ahead, 3, "another"), 2).orElseThrow();
        assertThat(displaced.committed()).isFalse();
        assertThat(displaced.unacked()).as("whoever may have prepared it").containsExactly(0, 1, 2);
    }

    @Test
    void aRequestHasTheOutcomeOfItsLastVersion() {
        TableLog log = LogSteps.abort(begun(TableLog.empty(7), 1), List.of(), "late");
        assertThat(LogSteps.lastOf(log, batch(1).request()).orElseThrow().committed())
                .isFalse();
        TableLog committed = LogSteps.commit(begun(log, 1));
        assertThat(LogSteps.lastOf(committed, batch(1).request()).orElseThrow().version())
                .isEqualTo(2);
        assertThat(LogSteps.lastOf(committed, batch(9).request())).isEmpty();
    }

    /** A table's log and its outcomes, as a driver writes them. */
    private static Parted written(TableLog log, TableOutcomes outcomes) {
        return LogSteps.crowded(log) ? LogSteps.part(log, outcomes) : new Parted(log, outcomes);
    }

    @Test
    void noDecisionIsForgottenThatAParticipantMayNeed() {
        TableLog log = TableLog.empty(7);
        int many = Limits.TABLE_DECISIONS_KEPT + 100;
        for (int i = 1; i <= many; i++) {
            log = LogSteps.commit(begun(log, i));
        }
        assertThat(LogSteps.crowded(log))
                .as("what participants have not said they know stays")
                .isFalse();
        TableLog half = LogSteps.strike(log, Map.of(1L, Set.of(0)));
        assertThat(LogSteps.decision(half, 1).orElseThrow().unacked()).containsExactly(3);
        Map<Long, Set<Integer>> all = new TreeMap<>();
        for (long i = 1; i <= many; i++) {
            all.put(i, i == 3 ? Set.of(0) : Set.of(0, 3));
        }
        Parted parted = LogSteps.part(LogSteps.strike(half, all), TableOutcomes.none(7));
        assertThat(LogSteps.decision(parted.log(), 3)).isPresent();
        assertThat(parted.log().decisions()).hasSize(1 + Limits.TABLE_DECISIONS_RECENT_KEPT);
        assertThat(parted.log().outcomes()).isEqualTo(1);
        assertThat(parted.outcomes().number()).isEqualTo(1);
        assertThat(parted.outcomes().decisions()).hasSize(Limits.TABLE_DECISIONS_KEPT);
        long oldest = parted.outcomes().decisions().get(0).version();
        assertThat(parted.log().forgotten()).as("3 does not hold it up").isEqualTo(oldest - 1);
        assertThat(parted.outcomes().decisions()).isSortedAccordingTo(Comparator.comparingLong(Decision::version));
    }

    @Test
    void outcomesAreThoseThatTheLogNames() {
        TableLog log = strike(LogSteps.commit(begun(TableLog.empty(7), 1)));
        assertThatThrownBy(() -> LogSteps.part(log, new TableOutcomes(7, 1, List.of())))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> LogSteps.part(log, TableOutcomes.none(6))).isInstanceOf(IllegalStateException.class);
    }

    /** Every outcome is in one place until it is told that it is forgotten, and there are as many as promised. */
    @Test
    void outcomesMoveAndAreKept() {
        Parted now = new Parted(TableLog.empty(7), TableOutcomes.none(7));
        int most = 0;
        for (int i = 1; i <= 3 * Limits.TABLE_DECISIONS_KEPT; i++) {
            now = written(strike(LogSteps.commit(begun(now.log(), i))), now.outcomes());
            most = Math.max(most, now.log().decisions().size());
            List<Decision> known = new ArrayList<>(now.outcomes().decisions());
            known.addAll(now.log().decisions());
            assertThat(known).hasSize((int) (i - now.log().forgotten()));
            assertThat(known).hasSizeGreaterThanOrEqualTo(Math.min(i, Limits.TABLE_DECISIONS_KEPT));
        }
        assertThat(most).isEqualTo(Limits.TABLE_DECISIONS_RECENT_MAX);
        assertThat(now.log().outcomes()).isGreaterThan(Limits.TABLE_DECISIONS_KEPT / 32);
    }

    /** Hundreds that wait for an actor are aborted again and again, and then all are to be served. */
    @Test
    void abortsMakeNobodyForgotten() {
        Parted now = new Parted(strike(LogSteps.commit(begun(TableLog.empty(7), 1))), TableOutcomes.none(7));
        for (int i = 0; i < 2 * Limits.TABLE_DECISIONS_KEPT; i++) {
            now = written(strike(LogSteps.abort(begun(now.log(), 2), List.of(), "late")), now.outcomes());
        }
        assertThat(now.log().forgotten()).isZero();
        assertThat(now.outcomes().decisions()).hasSizeLessThanOrEqualTo(Limits.TABLE_DECISIONS_KEPT);
        assertThat(now.outcomes().decisions().get(0).batches()).containsExactly(batch(1));
        now = written(
                strike(LogSteps.abort(begun(now.log(), 3), List.of(batch(3).request()), "no such field")),
                now.outcomes());
        for (int i = 0; i < 2 * Limits.TABLE_DECISIONS_KEPT; i++) {
            now = written(strike(LogSteps.abort(begun(now.log(), 2), List.of(), "late")), now.outcomes());
        }
        assertThat(now.outcomes().decisions().get(1).refused()).containsExactly(batch(3).request());
    }

    private static TableLog strike(TableLog log) {
        long last = log.decisions().get(log.decisions().size() - 1).version();
        return LogSteps.strike(log, Map.of(last, Set.of(0, 3)));
    }

    @Test
    void aRefusalNamesItsRequests() {
        TableLog log = LogSteps.begin(TableLog.empty(7), DRIVER, List.of(0), List.of(batch(1), batch(2)), 10);
        TableLog aborted = LogSteps.abort(log, List.of(batch(2).request()), "no such field");
        assertThat(aborted.decisions().get(0).refused()).containsExactly(batch(2).request());
        assertThat(aborted.inFlight()).isNull();
    }
}
