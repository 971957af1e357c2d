package io.uniserve.runtime.engine;

import static io.uniserve.runtime.engine.HostWorld.KEY;
import static io.uniserve.runtime.engine.HostWorld.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.ActorView;
import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost.Update;
import io.uniserve.protocol.env.RowStateDependency;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import io.uniserve.runtime.async.Waiter;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Atomic updates at the engine: prepared invisibly, committed or aborted, with states by version. */
class AtomicHostTest {
    private static final String PUT = "kv.put@1";
    private static final int STATES_IN_BUDGET = 4;
    /** Weight of a changed byte, see ActorTransactionState. */
    private static final int CHANGE_FACTOR = 8;

    @TempDir
    Path directory;

    private HostWorld world;

    @BeforeEach
    void open() {
        world = new HostWorld(directory, new KvEngine());
        Waiter.<Done>value(done -> world.host.create(KEY, world.meta(ConsistencyLevel.FULLY_SERIALIZABLE), done));
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void prepare(long version, Bytes... batches) {
        Waiter.<Done>value(done -> world.host.prepare(KEY, version, updates(batches), done));
    }

    private static List<Update> updates(Bytes... batches) {
        return Arrays.stream(batches).map(batch -> new Update(1, PUT, batch)).toList();
    }

    private void decide(long version, boolean commit) {
        Waiter.<Done>value(done -> world.host.decide(KEY, version, commit, done));
    }

    /** Rows in the state at the version, 0 for the newest; -1 if it is not stored. */
    private long rowsAt(long version) {
        HostedActor hosted = world.host.pin(KEY).orElseThrow();
        try {
            Optional<VersionedSnapshotCache.Ref<ActorView>> state = hosted.snapshotAt(version);
            if (state.isEmpty()) {
                return -1;
            }
            long count = state.get().state().usage().rows();
            state.get().release();
            return count;
        } finally {
            hosted.release();
        }
    }

    @Test
    void whatIsPreparedIsSeenWhenItIsCommittedAndOlderStatesStay() {
        prepare(1, rows("a"), rows("b", "c"));
        assertThat(rowsAt(0)).isZero();
        decide(1, true);
        assertThat(rowsAt(0)).isEqualTo(3);
        prepare(4, rows("d"));
        decide(4, true);
        assertThat(rowsAt(0)).isEqualTo(4);
        assertThat(rowsAt(4)).isEqualTo(4);
        assertThat(rowsAt(3)).as("of version 1, the newest before").isEqualTo(3);
    }

    @Test
    void whatIsAbortedLeavesNoTrace() {
        long before = state();
        prepare(1, rows("a"));
        decide(1, false);
        decide(2, false);
        assertThat(rowsAt(0)).isZero();
        assertThat(state()).as("nothing that readers see has changed").isEqualTo(before);
    }

    private long state() {
        HostedActor hosted = world.host.pin(KEY).orElseThrow();
        hosted.release();
        return hosted.stateNumber();
    }

    @Test
    void aCommitGivesTheStateANewNumber() {
        long before = state();
        prepare(1, rows("a"));
        assertThat(state()).isEqualTo(before);
        decide(1, true);
        assertThat(state()).isNotZero().isNotEqualTo(before);
    }

    @Test
    void preparedAgainCountsOnce() {
        prepare(1, rows("a"));
        prepare(1, rows("b"));
        decide(1, true);
        assertThat(rowsAt(0)).isEqualTo(1);
    }

    @Test
    void rowsThatCannotBePreparedLeaveNoActor() {
        UniserveException error = Waiter.<Done>error(
                done -> world.host.prepare(KEY, 1, updates(rows("a"), Bytes.utf8("\0\0\0\1garbage")), done));
        assertThat(error.code()).isEqualTo(ErrorCode.INVALID_ROW);
        assertThat(world.host.pin(KEY)).isEmpty();
    }

    @Test
    void aCommitOfWhatWasNeverPreparedIsAnErrorAndLeavesNoActor() {
        UniserveException error = Waiter.<Done>error(done -> world.host.decide(KEY, 7, true, done));
        assertThat(error.reason()).contains("version 7").contains("not prepared");
        assertThat(world.host.pin(KEY)).isEmpty();
    }

    @Test
    void aCheckpointIsRestoredAtItsVersion() {
        prepare(3, rows("a", "b"));
        decide(3, true);
        Waiter.<Done>value(done -> world.host.checkpoint(KEY, "t7-a3/c1/data", done));
        Waiter.<Done>value(
                done -> world.host.restore(KEY, world.meta(ConsistencyLevel.SERIALIZABLE), "t7-a3/c1/data", 3, done));
        assertThat(rowsAt(3)).isEqualTo(2);
        assertThat(rowsAt(2)).as("older than the checkpoint").isEqualTo(-1);
        prepare(4, rows("c"));
        decide(4, true);
        assertThat(rowsAt(0)).isEqualTo(3);
    }

    @Test
    void aReaderKeepsItsStateAfterTheActorHasGone() {
        prepare(1, rows("a"));
        decide(1, true);
        HostedActor hosted = world.host.pin(KEY).orElseThrow();
        VersionedSnapshotCache.Ref<ActorView> state = hosted.snapshotAt(0).orElseThrow();
        Waiter.<Done>value(done -> world.host.destroy(KEY, done));
        assertThat(state.state().usage().rows()).isEqualTo(1);
        state.release();
        hosted.release();
    }

    /** Older states have a memory budget. A state that is being read stays as it was; others are closed. */
    @Test
    void statesBeyondTheBudgetAreGoneAndGivenBack() {
        prepare(1, rows("a"));
        decide(1, true);
        HostedActor hosted = world.host.pin(KEY).orElseThrow();
        VersionedSnapshotCache.Ref<ActorView> reading = hosted.snapshotAt(1).orElseThrow();
        WeakReference<ActorView> first = new WeakReference<>(reading.state());
        int last = 1 + 3 * STATES_IN_BUDGET;
        for (int version = 2; version <= last; version++) {
            prepare(version, padded("row " + version));
            decide(version, true);
        }
        assertThat(rowsAt(last)).isEqualTo(last);
        int kept = 0;
        for (int version = last; rowsAt(version) != -1; version--) {
            assertThat(rowsAt(version)).isEqualTo(version);
            kept++;
        }
        assertThat(kept).as("beside the newest").isBetween(2, STATES_IN_BUDGET + 1);
        for (int version = 1; version <= last - kept; version++) {
            assertThat(rowsAt(version)).as("version %s", version).isEqualTo(-1);
        }
        assertThat(reading.state().usage().rows()).isEqualTo(1);
        reading.release();
        reading = hosted.snapshotAt(0).orElseThrow();
        await().untilAsserted(() -> {
            System.gc();
            assertThat(first.get()).isNull();
        });
        assertThat(reading.state().usage().rows()).isEqualTo(last);
        reading.release();
        hosted.release();
    }

    /** Row of a size such that this many versions use the whole memory of older states. */
    private static Bytes padded(String key) {
        long budget = Limits.SNAPSHOT_HEAP_PERMILLE * (Runtime.getRuntime().maxMemory() / 1_000);
        String pad = "x".repeat((int) (budget / CHANGE_FACTOR / STATES_IN_BUDGET));
        return Codecs.list(Document.CODEC).encode(List.of(new Document("id", Map.of("id", key, "pad", pad))));
    }

    @Test
    void anEventualTablesActorPreparesNothingAndHasNoVersions() {
        Waiter.<Done>value(done -> world.host.create(KEY, world.meta(), done));
        HostedActor hosted = world.host.pin(KEY).orElseThrow();
        assertThat(hosted.isAtomic()).isFalse();
        assertThat(hosted.snapshotAt(0)).isEmpty();
        hosted.release();
        UniserveException error = Waiter.<Done>error(done -> world.host.prepare(KEY, 1, updates(rows("a")), done));
        assertThat(error.reason()).contains("eventual");
    }

    @Test
    void rowsAreCheckedByTheFunctionThatPrepares() {
        assertThat(Waiter.<RowStateDependency>error(done -> world.host.validate(KEY, "kv.add@1", rows("a"), done))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ROW);
        Waiter.<RowStateDependency>value(done -> world.host.validate(KEY, PUT, rows("a"), done));
    }

    /** Such as after a failed append because the log is full. */
    @Test
    void rowsThatAreCheckedAndNeverPreparedAreNotKeptBeyondOneVersion() {
        String[] keys = new String[Limits.BATCH_BYTES_MAX / 500];
        Arrays.setAll(keys, i -> i + "-" + "k".repeat(100));
        Bytes large = rows(keys);
        HostedActor hosted = world.host.pin(KEY).orElseThrow();
        try {
            for (int i = 0; i < 8; i++) {
                Bytes again = Bytes.wrap(large.toArray());
                Waiter.<RowStateDependency>value(done -> world.host.validate(KEY, PUT, again, done));
            }
            assertThat(hosted.transactionState().validatedBytes())
                    .isPositive()
                    .isLessThanOrEqualTo(Limits.BATCH_BYTES_MAX);
            prepare(1, rows("a"));
            assertThat(hosted.transactionState().validatedBytes()).isZero();
        } finally {
            hosted.release();
        }
    }

    @Test
    void optionsDoNotChange() {
        TableMeta meta = world.meta(ConsistencyLevel.SERIALIZABLE);
        Waiter.<Done>value(done -> world.host.validateTable(meta, Optional.empty(), done));
        UniserveException error = Waiter.<Done>error(done -> world.host.validateTable(meta, Optional.of(meta), done));
        assertThat(error.code()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(error.reason()).contains("things", "SERIALIZABLE", "EVENTUAL");
    }

    @Test
    void actorsThatHoldNoStatesAreThePortsFault() throws Exception {
        try (HostWorld other = new HostWorld(directory.resolve("other"), new TestingPort())) {
            UniserveException error =
                    Waiter.<Done>error(done -> other.host.create(KEY, other.meta(ConsistencyLevel.SERIALIZABLE), done));
            assertThat(error.code()).isEqualTo(ErrorCode.PORT_PROTOCOL);
            assertThat(error.reason()).contains("testing").contains("snapshot()");
        }
    }
}
