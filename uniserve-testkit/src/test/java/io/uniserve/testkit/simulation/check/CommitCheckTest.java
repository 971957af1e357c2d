package io.uniserve.testkit.simulation.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableLog;
import io.uniserve.model.TableLog.Batch;
import io.uniserve.model.TableLog.Decision;
import io.uniserve.model.TableName;
import io.uniserve.model.TableOutcomes;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.tx.LogSteps;
import io.uniserve.protocol.tx.LogSteps.Parted;
import io.uniserve.testkit.simulation.kernel.EventQueue;
import io.uniserve.testkit.simulation.kernel.Trace;
import io.uniserve.testkit.simulation.registry.Ensemble;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Decisions of a table's log that move to its outcomes, or should. */
final class CommitCheckTest {
    private static final TableName TABLE = new TableName("t");
    private static final String LOG = RegistryPaths.log(TABLE);
    private static final String OUTCOMES = RegistryPaths.outcomes(TABLE);

    private final EventQueue queue = new EventQueue();
    private final Trace trace = new Trace(queue, line -> {});
    private final Violations violations = new Violations(queue, trace);
    private final CommitCheck check = new CommitCheck(violations, new FenceCheck(violations));
    private final Ensemble ensemble = new Ensemble((session, ops, failing) -> false);
    private TableLog log = TableLog.empty(7);

    @BeforeEach
    void fill() {
        ensemble.listen((session, zxid, applied, changed) -> check.committed(applied, 0));
        for (int i = 1; i <= 100; i++) {
            Batch batch = new Batch(new RequestId(1, 2, i), "hash" + i);
            TableLog begun = LogSteps.begin(log, new ServerId("s1"), List.of(), List.of(batch), 1);
            log = LogSteps.commit(begun);
        }
        apply(new Op.Create(LOG, log, false));
    }

    private List<String> apply(Op... ops) {
        assertThat(ensemble.multi("s1", List.of(ops)).applied()).isTrue();
        return violations.kept().stream().map(Violation::invariant).toList();
    }

    @Test
    void whatMovesIsThere() {
        Parted parted = LogSteps.part(log, TableOutcomes.none(7));
        assertThat(apply(new Op.Create(OUTCOMES, parted.outcomes(), false), new Op.Set(LOG, parted.log(), 0)))
                .isEmpty();
    }

    @Test
    void theLogMovesAlone() {
        Parted parted = LogSteps.part(log, TableOutcomes.none(7));
        assertThat(apply(new Op.Set(LOG, parted.log(), 0))).contains("I1", "I9");
    }

    @Test
    void oneIsLostOnTheWay() {
        Parted parted = LogSteps.part(log, TableOutcomes.none(7));
        List<Decision> moved = parted.outcomes().decisions();
        TableOutcomes fewer = new TableOutcomes(7, 1, moved.subList(1, moved.size()));
        assertThat(apply(new Op.Create(OUTCOMES, fewer, false), new Op.Set(LOG, parted.log(), 0)))
                .containsExactly("I9");
    }
}
