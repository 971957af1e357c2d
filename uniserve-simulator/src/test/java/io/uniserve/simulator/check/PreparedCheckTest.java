package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ActorState;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.simulator.disk.SimDiskMedium;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.kernel.Prng;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Version 5 of an actor on two servers is committed. */
final class PreparedCheckTest {
    private static final ServerId S1 = new ServerId("s1");
    private static final ServerId S2 = new ServerId("s2");
    private static final ReplicaKey KEY = new ReplicaKey(7, 0);

    private final EventQueue queue = new EventQueue();
    private final ViolationCollector violations = new ViolationCollector(queue, new EventTrace(queue, line -> {}));
    private final PreparedCheck check = new PreparedCheck(violations);
    private final SimDiskMedium first = new SimDiskMedium();
    private final SimDiskMedium second = new SimDiskMedium();
    private final ActorState state = new ActorState(
            0, 1, S1, List.of(S1, S2), List.of(), List.of(), List.of(S1, S2), Map.of(), 0, true, PreviousIsr.NONE);

    @BeforeEach
    void disks() {
        check.disk("s1", first);
        check.disk("s2", second);
        store(first, LogEntry.epoch(1, 1), prepare(2, 5));
    }

    private static LogEntry prepare(long index, long version) {
        return LogEntry.prepare(1, index, version, 0, 1, Bytes.EMPTY);
    }

    private static void store(SimDiskMedium disk, LogEntry... entries) {
        String path = KEY + "/log/%020d.seg".formatted(entries[0].index());
        disk.store(path, ReplicaLog.encode(List.of(entries)));
    }

    private List<String> commit() {
        check.committed(KEY, state, 5);
        return violations.kept().stream().map(Violation::invariant).toList();
    }

    @Test
    void bothHaveIt() {
        store(second, LogEntry.epoch(1, 1), LogEntry.decide(1, 2, 4, false));
        store(second, prepare(3, 5), LogEntry.epoch(2, 4));
        assertThat(commit()).isEmpty();
        assertThat(check.checkedDisks()).isEqualTo(2);
    }

    @Test
    void oneHasAnotherVersion() {
        store(second, LogEntry.epoch(1, 1), prepare(2, 4));
        assertThat(commit()).containsExactly("I2");
    }

    @Test
    void whatIsOnlyInThePageCacheDoesNotCount() {
        store(second, LogEntry.epoch(1, 1));
        append(second);
        assertThat(commit()).containsExactly("I2");
    }

    private static void append(SimDiskMedium disk) {
        disk.append(KEY + "/log/%020d.seg".formatted(2), ReplicaLog.encode(List.of(prepare(2, 5))));
    }

    /** The disk was lost or damaged, so it is unknown whether it had the entry. */
    @Test
    void whatIsLostTellsNothing() {
        assertThat(commit()).isEmpty();
        store(second, LogEntry.epoch(1, 1), prepare(2, 4));
        assertThat(second.flip(new Prng(1), path -> true)).isPresent();
        assertThat(commit()).isEmpty();
        assertThat(check.checkedDisks()).isEqualTo(2); // of the first, twice
    }
}
