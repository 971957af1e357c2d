package io.uniserve.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.model.BackupName;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.registry.SimEnsemble;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Restorations of a table of two actors, with committed versions 1 to 3 on both. */
final class TimelineCheckTest {
    private static final TableName TABLE = new TableName("t");
    private static final String PATH = RegistryPaths.log(TABLE, 7);

    private final EventQueue queue = new EventQueue();
    private final EventTrace trace = new EventTrace(queue, line -> {});
    private final ViolationCollector violations = new ViolationCollector(queue, trace);
    private final SimEnsemble ensemble = new SimEnsemble((session, ops, failing) -> false);
    private int restored;
    private final TimelineCheck watch = new TimelineCheck(violations, trace, TABLE, () -> restored++);
    private int written;

    @BeforeEach
    void commit() {
        ensemble.addListener(watch);
        ensemble.multi("s1", List.of(new Op.Create(PATH, TransactionLogState.empty(7), false)));
        for (long version = 1; version <= 3; version++) {
            set(new TransactionLogState(
                    7,
                    version - 1,
                    version + 1,
                    new TransactionLogState.InFlight(version, new ServerId("s1"), List.of(0, 1), List.of(), 0),
                    List.of(),
                    0));
            TransactionLogState.Decision decision =
                    new TransactionLogState.Decision(version, true, List.of(), List.of(), "", List.of(0, 1));
            set(new TransactionLogState(7, version, version + 1, null, List.of(decision), 0));
        }
    }

    private static TransactionLogState log(long id, long version, long next) {
        return new TransactionLogState(id, version, next, null, List.of(), 0);
    }

    private void set(TransactionLogState log) {
        assertThat(ensemble.multi("s1", List.of(new Op.Set(PATH, log, written++)))
                        .applied())
                .isTrue();
    }

    private void ship(int actor, long version, boolean decided) {
        LogEntry prepare = LogEntry.prepare(1, 2 * version, version, version - 1, 2, Bytes.EMPTY);
        LogEntry decide = LogEntry.decide(1, 2 * version + 1, version, true);
        Bytes data = ReplicaLog.encode(decided ? List.of(prepare, decide) : List.of(prepare));
        watch.stored("backup/c/7/" + actor + "/log/" + 2 * version + "-" + (2 * version + 1) + "-1", data);
    }

    private void attempt(long version, boolean complete) {
        TableMeta meta = new TableMeta(
                TABLE,
                7,
                new Partitioner.Hash(2),
                "id",
                ConsistencyLevel.FULLY_SERIALIZABLE,
                1,
                1,
                OnLoss.RESTORE_TABLE,
                "kv",
                Map.of());
        TableSnapshot.Part part = new TableSnapshot.Part("0".repeat(64), 1, 1);
        TableSnapshot backup = new TableSnapshot(
                new BackupName("lost"),
                "0".repeat(16),
                "c",
                meta,
                version,
                version,
                TableSnapshot.Actors.fixed(meta),
                complete ? Optional.of(List.of(part, part)) : Optional.empty());
        watch.stored("archive/x/y/z", backup.encode());
    }

    private List<String> replaced(TransactionLogState after) {
        String next = RegistryPaths.log(TABLE, after.tableId());
        assertThat(ensemble.multi("s1", List.of(new Op.Delete(PATH, written), new Op.Create(next, after, false)))
                        .applied())
                .isTrue();
        assertThat(restored).isEqualTo(1);
        return violations.kept().stream().map(Violation::invariant).toList();
    }

    @Test
    void theNewestThatStorageHasAllOfIsKept() {
        ship(0, 1, true);
        ship(1, 1, true);
        ship(0, 2, true);
        ship(1, 2, true);
        ship(0, 3, true);
        attempt(0, false);
        attempt(2, true);
        assertThat(replaced(log(9, 2, 4))).isEmpty();
        TableTimelines tableTimelines = watch.timelines();
        assertThat(tableTimelines.isLost(2)).isFalse();
        assertThat(tableTimelines.isLost(3)).isTrue();
        assertThat(tableTimelines.isLost(4)).isFalse();
        assertThat(tableTimelines.timelineOfTable(9)).isEqualTo(1);
        assertThat(tableTimelines.timelineOfVersion(3)).isZero();
        assertThat(tableTimelines.timelineOfVersion(4)).isEqualTo(1);
    }

    @Test
    void lessThanStorageHadIsFound() {
        ship(0, 1, true);
        ship(1, 1, true);
        attempt(0, false);
        attempt(0, true);
        assertThat(replaced(log(9, 0, 4))).containsExactly("ERA");
    }

    @Test
    void whatIsNotDecidedOrComesLaterNeedNotBeKept() {
        ship(0, 1, true);
        ship(1, 1, false);
        attempt(0, false);
        ship(1, 1, true);
        attempt(0, true);
        assertThat(replaced(log(9, 0, 4))).isEmpty();
    }

    @Test
    void aVersionThatNobodyCommittedIsFound() {
        attempt(0, false);
        attempt(4, true);
        assertThat(replaced(log(9, 4, 5))).containsExactly("ERA");
    }

    @Test
    void versionsThatAreGivenOutTwiceAreFound() {
        attempt(0, false);
        attempt(1, true);
        assertThat(replaced(log(9, 1, 2))).containsExactly("ERA");
    }

    @Test
    void withoutABackupNothingMayBeReplaced() {
        assertThat(replaced(log(9, 1, 4))).containsExactly("ERA");
    }
}
