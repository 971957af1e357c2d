package io.uniserve.protocol.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableLog;
import io.uniserve.model.TableLog.Batch;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    void aRequestHasTheOutcomeOfItsLastVersion() {
        TableLog log = LogSteps.abort(begun(TableLog.empty(7), 1), List.of(), "late");
        assertThat(LogSteps.lastOf(log, batch(1).request()).orElseThrow().committed())
                .isFalse();
        TableLog committed = LogSteps.commit(begun(log, 1));
        assertThat(LogSteps.lastOf(committed, batch(1).request()).orElseThrow().version())
                .isEqualTo(2);
        assertThat(LogSteps.lastOf(committed, batch(9).request())).isEmpty();
    }

    @Test
    void noDecisionIsForgottenThatAParticipantMayNeed() {
        TableLog log = TableLog.empty(7);
        for (int i = 1; i <= Limits.TABLE_DECISIONS_KEPT + 10; i++) {
            log = LogSteps.commit(begun(log, i));
        }
        assertThat(log.decisions()).hasSize(Limits.TABLE_DECISIONS_KEPT + 10);
        TableLog half = LogSteps.strike(log, Map.of(1L, Set.of(0)));
        assertThat(LogSteps.decision(half, 1).orElseThrow().unacked()).containsExactly(3);
        TableLog struck = LogSteps.strike(half, Map.of(1L, Set.of(3), 2L, Set.of(0, 3), 4L, Set.of(0, 3)));
        assertThat(LogSteps.decision(struck, 2)).isEmpty();
        assertThat(LogSteps.decision(struck, 3)).isPresent();
        assertThat(LogSteps.decision(struck, 4)).as("3 does not hold it up").isEmpty();
        assertThat(struck.forgotten()).isEqualTo(4);
    }

    /** Hundreds that wait for an actor are aborted again and again, and then all are to be served. */
    @Test
    void abortsMakeNobodyForgotten() {
        TableLog log = strike(LogSteps.commit(begun(TableLog.empty(7), 1)));
        for (int i = 0; i < 2 * Limits.TABLE_DECISIONS_KEPT; i++) {
            log = strike(LogSteps.abort(begun(log, 2), List.of(), "late"));
        }
        assertThat(log.forgotten()).isZero();
        assertThat(log.decisions().size()).isLessThanOrEqualTo(Limits.TABLE_DECISIONS_KEPT + 1);
        assertThat(LogSteps.lastOf(log, batch(1).request()).orElseThrow().committed())
                .isTrue();
        TableLog refused = strike(LogSteps.abort(begun(log, 3), List.of(batch(3).request()), "no such field"));
        for (int i = 0; i < 2 * Limits.TABLE_DECISIONS_KEPT; i++) {
            refused = strike(LogSteps.abort(begun(refused, 2), List.of(), "late"));
        }
        assertThat(LogSteps.lastOf(refused, batch(3).request())).isPresent();
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
