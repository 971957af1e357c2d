package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import io.uniserve.protocol.transaction.TransactionLogTransitions.LogAndOutcomes;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.registry.SimEnsemble;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Decisions that move from the transaction log to the outcomes node, or should. */
final class CommitCheckTest {
    private static final TableName TABLE = new TableName("t");
    private static final String LOG = RegistryPaths.log(TABLE, 7);
    private static final String OUTCOMES = RegistryPaths.outcomes(TABLE, 7);

    private final EventQueue queue = new EventQueue();
    private final EventTrace trace = new EventTrace(queue, line -> {});
    private final ViolationCollector violations = new ViolationCollector(queue, trace);
    private final CommitCheck check = new CommitCheck(violations, new FenceCheck(violations));
    private final SimEnsemble ensemble = new SimEnsemble((session, ops, failing) -> false);
    private TransactionLogState log = TransactionLogState.empty(7);

    @BeforeEach
    void fill() {
        ensemble.addListener((session, zxid, applied, changed) -> check.committed(applied, 0));
        more(1, 100);
        apply(new Op.Create(LOG, log, false));
    }

    private void more(int from, int to) {
        for (int i = from; i <= to; i++) {
            Batch batch = new Batch(new RequestId(1, 2, i), "hash" + i);
            TransactionLogState begun =
                    TransactionLogTransitions.begin(log, new ServerId("s1"), List.of(), List.of(batch), 1);
            log = TransactionLogTransitions.commit(begun);
        }
    }

    private List<String> apply(Op... ops) {
        assertThat(ensemble.multi("s1", List.of(ops)).applied()).isTrue();
        return violations.kept().stream().map(Violation::invariant).toList();
    }

    @Test
    void whatMovesIsThere() {
        LogAndOutcomes parted = TransactionLogTransitions.trim(log, DecisionHistory.empty(7));
        assertThat(apply(new Op.Create(OUTCOMES, parted.outcomes(), false), new Op.Set(LOG, parted.log(), 0)))
                .isEmpty();
    }

    @Test
    void theLogMovesAlone() {
        LogAndOutcomes parted = TransactionLogTransitions.trim(log, DecisionHistory.empty(7));
        assertThat(apply(new Op.Set(LOG, parted.log(), 0))).contains("I1", "I9");
    }

    /** The second move keeps the outcomes of the first. */
    @Test
    void olderOutcomesStay() {
        assertThat(moveTwice(outcomes -> outcomes)).doesNotContain("I9");
    }

    @Test
    void olderOutcomesAreDropped() {
        assertThat(moveTwice(outcomes -> new DecisionHistory(
                        7,
                        2,
                        outcomes.decisions().subList(90, outcomes.decisions().size()))))
                .contains("I9");
    }

    /** Forgotten versions are permitted only if the log had no more room. */
    @Test
    void forgettingIsNotForFree() {
        LogAndOutcomes parted = TransactionLogTransitions.trim(log, DecisionHistory.empty(7));
        TransactionLogState told = new TransactionLogState(
                7,
                log.committedVersion(),
                log.nextVersion(),
                null,
                parted.log().decisions(),
                parted.log().committedVersion() - 20,
                1);
        DecisionHistory none = new DecisionHistory(7, 1, List.of());
        assertThat(apply(new Op.Create(OUTCOMES, none, false), new Op.Set(LOG, told, 0)))
                .contains("I9");
    }

    private List<String> moveTwice(UnaryOperator<DecisionHistory> second) {
        LogAndOutcomes one = TransactionLogTransitions.trim(log, DecisionHistory.empty(7));
        assertThat(apply(new Op.Create(OUTCOMES, one.outcomes(), false), new Op.Set(LOG, one.log(), 0)))
                .isEmpty();
        log = one.log();
        more(101, 200);
        LogAndOutcomes two = TransactionLogTransitions.trim(log, one.outcomes());
        return apply(new Op.Set(OUTCOMES, second.apply(two.outcomes()), 0), new Op.Set(LOG, two.log(), 1));
    }

    @Test
    void versionsDoNotFall() {
        TransactionLogState back =
                new TransactionLogState(7, log.committedVersion() - 1, log.nextVersion(), null, log.decisions(), 0);
        assertThat(apply(new Op.Set(LOG, back, 0))).containsExactly("I1");
    }

    @Test
    void anOutcomeDoesNotChange() {
        List<Decision> changed = new ArrayList<>(log.decisions());
        Decision last = changed.remove(changed.size() - 1);
        changed.add(new Decision(
                last.version(),
                false,
                last.batches(),
                last.refusedRequests(),
                last.reason(),
                last.unackedParticipants()));
        TransactionLogState other =
                new TransactionLogState(7, log.committedVersion(), log.nextVersion(), null, changed, 0);
        assertThat(apply(new Op.Set(LOG, other, 0))).containsExactly("I1");
    }

    /** Both replicas answer reads, and are in doubt about the version. */
    @Test
    void bothKnowWhatIsCommitted() {
        assertThat(commitsWith(101, 101)).isEmpty();
    }

    @Test
    void aReplicaThatAnswersDoesNotKnowWhatIsCommitted() {
        assertThat(commitsWith(101, 0)).containsExactly("I2");
    }

    private List<String> commitsWith(long first, long second) {
        ServerId s1 = new ServerId("s1");
        ServerId s2 = new ServerId("s2");
        ActorState state =
                new ActorState(0, 1, s1, List.of(s1, s2), List.of(), List.of(), List.of(s1, s2), Map.of(), 0);
        apply(new Op.Create(RegistryPaths.map(TABLE), new TableMap(TABLE, 7, List.of(state)), false));
        ReplicaKey key = new ReplicaKey(7, 0);
        check.published("s1", key, new ReadGate(0, 1, true, Long.MAX_VALUE, 1, first, 100, 0));
        check.published("s2", key, new ReadGate(0, 1, true, Long.MAX_VALUE, 1, second, 100, 0));
        Batch batch = new Batch(new RequestId(1, 2, 101), "hash");
        TransactionLogState begun = TransactionLogTransitions.begin(log, s1, List.of(0), List.of(batch), 1);
        apply(new Op.Set(LOG, begun, 0));
        return apply(new Op.Set(LOG, TransactionLogTransitions.commit(begun), 1));
    }

    @Test
    void oneIsLostOnTheWay() {
        LogAndOutcomes parted = TransactionLogTransitions.trim(log, DecisionHistory.empty(7));
        List<Decision> moved = parted.outcomes().decisions();
        DecisionHistory fewer = new DecisionHistory(7, 1, moved.subList(1, moved.size()));
        assertThat(apply(new Op.Create(OUTCOMES, fewer, false), new Op.Set(LOG, parted.log(), 0)))
                .containsExactly("I9");
    }
}
