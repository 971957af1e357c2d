package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ActorState;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import io.uniserve.simulator.disk.SimDiskMedium;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Abort of a version that another manager had started ahead: version 1 of a table with two actors on two servers. */
final class ReservationAbortCheckTest {
    private static final ServerId S1 = new ServerId("s1");
    private static final ServerId S2 = new ServerId("s2");
    private static final int ACTORS = 2;

    private final EventQueue queue = new EventQueue();
    private final ViolationCollector violations = new ViolationCollector(queue, new EventTrace(queue, line -> {}));
    private final ReservationAbortCheck check = new ReservationAbortCheck(violations);
    private final SimDiskMedium first = new SimDiskMedium();
    private final SimDiskMedium second = new SimDiskMedium();
    private final TableMap map = new TableMap(
            new TableName("t"),
            7,
            IntStream.range(0, ACTORS)
                    .mapToObj(actor -> new ActorState(
                            actor,
                            1,
                            S1,
                            List.of(S1, S2),
                            List.of(),
                            List.of(),
                            List.of(S1, S2),
                            Map.of(),
                            0,
                            true,
                            PreviousIsr.NONE))
                    .toList());
    private final TransactionLogState begun = TransactionLogTransitions.reserve(TransactionLogState.empty(7), S1);
    private final TransactionLogState displaced = TransactionLogTransitions.abortReserved(begun, List.of(0, 1), "test");

    @BeforeEach
    void disks() {
        check.disk("s1", first);
        check.disk("s2", second);
        for (int actor = 0; actor < ACTORS; actor++) {
            log(first, actor, LogEntry.epoch(1, 1), prepare(2, 1));
            log(second, actor, LogEntry.epoch(1, 1), prepare(2, 1));
        }
    }

    private static LogEntry prepare(long index, long version) {
        return LogEntry.prepare(1, index, version, 0, 1, Bytes.EMPTY);
    }

    private static void log(SimDiskMedium disk, int actor, LogEntry... entries) {
        String path = new ReplicaKey(7, actor) + "/log/%020d.seg".formatted(entries[0].index());
        disk.store(path, ReplicaLog.encode(List.of(entries)));
    }

    private List<String> step(TransactionLogState before, TransactionLogState after) {
        check.step("t", before, after, map);
        return violations.kept().stream().map(Violation::invariant).toList();
    }

    private TransactionLogState struck(int... actors) {
        Set<Integer> which = Set.copyOf(IntStream.of(actors).boxed().toList());
        return TransactionLogTransitions.removeAcked(displaced, Map.of(1L, which));
    }

    @Test
    void allActorsOweIt() {
        assertThat(step(begun, displaced)).isEmpty();
        assertThat(step(begun, struck(1))).containsExactly("I1");
    }

    @Test
    void oneThatHasItIsStruckOff() {
        log(first, 0, LogEntry.epoch(1, 1), prepare(2, 1), LogEntry.decide(1, 3, 1, false));
        log(second, 0, LogEntry.epoch(1, 1), LogEntry.decide(1, 2, 3, true));
        assertThat(step(displaced, struck(0))).isEmpty();
    }

    @Test
    void oneReplicaIsInDoubt() {
        log(first, 0, LogEntry.epoch(1, 1), prepare(2, 1), LogEntry.decide(1, 3, 1, false));
        assertThat(step(displaced, struck(0))).containsExactly("I1");
    }

    @Test
    void theDecisionLeavesTheLogTooSoon() {
        TransactionLogState gone = new TransactionLogState(7, 0, 2, null, List.of(), 0, 0);
        assertThat(step(displaced, gone)).containsOnly("I1").hasSizeGreaterThan(1);
    }

    /** Missing entries prove nothing: a checkpoint may have the start of the log, or the disk was replaced. */
    @Test
    void aLogThatIsNotWholeTellsNothing() {
        first.destroy();
        second.destroy();
        log(second, 0, LogEntry.epoch(1, 9));
        assertThat(step(displaced, struck(0, 1))).isEmpty();
    }
}
