package io.uniserve.protocol.replica.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.backup.archive.QuietLogListener;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogListener;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import io.uniserve.protocol.testing.TestingDisk;
import io.uniserve.protocol.testing.TestingEngine;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingNetwork;
import io.uniserve.protocol.testing.TestingObjects;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A checkpoint is rejected only if it is proven to be damaged, and even then it is kept. */
class CheckpointRestoreTest {
    private static final long SECOND = 1_000_000_000L;
    private static final ReplicaKey KEY = new ReplicaKey(1, 0);
    private static final int ENTRIES = 35;

    private final TestingLoop loop = new TestingLoop();
    private final TestingDisk disk = new TestingDisk(loop);
    private TestingEngine engine = new TestingEngine(loop, disk);
    private final List<String> unfit = new ArrayList<>();
    private long ids;

    private final LogListener quiet = new QuietLogListener();

    private ReplicaLog log() {
        List<Outcome<ReplicaLog>> opened = new ArrayList<>();
        ReplicaLog.open(disk, KEY.toString(), 0, 0, 0, 0, LogOptions.defaults(), quiet, opened::add);
        loop.run(SECOND);
        if (opened.get(0) instanceof Outcome.Ok<ReplicaLog> ok) {
            return ok.value();
        }
        throw new AssertionError("not opened");
    }

    /** Applier for the log on the disk, after the restore. */
    private EngineApplier start(ReplicaLog log) {
        engine = new TestingEngine(loop, disk);
        return begin(log);
    }

    private EngineApplier begin(ReplicaLog log) {
        Environment env = new Environment(
                loop,
                loop,
                new TestingNetwork(loop),
                new TestingRegistry(loop, new TestingStore()),
                disk,
                new TestingObjects(loop),
                engine,
                () -> ids++);
        ReplicaConfig base = ReplicaConfig.defaults("test");
        ReplicaConfig config = new ReplicaConfig(
                base.clusterId(),
                base.log(),
                base.leaseNanos(),
                base.drift(),
                base.replicateTimeoutNanos(),
                base.retryNanos(),
                base.engineTimeoutNanos(),
                base.learnerTimeoutNanos(),
                base.learnerLagMax(),
                10,
                base.checkpointBytes(),
                base.shippingNanos());
        TableMeta meta = new TableMeta(
                new TableName("t"),
                1,
                new Partitioner.Hash(1),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "kv",
                Map.of());
        EngineApplier engineApplier = new EngineApplier(
                env,
                config,
                KEY,
                meta,
                log,
                new CheckpointStore(disk, KEY.toString(), () -> 0),
                fetched -> fetched.done(Outcome.err(new UniserveException(ErrorCode.CORRUPT, "none"))),
                new EngineListener() {
                    @Override
                    public void onApplied() {}

                    @Override
                    public void onUnhealthy(String reason) {
                        unfit.add(reason);
                    }

                    @Override
                    public boolean onRejected(LogEntry update, UniserveException error, boolean certain) {
                        return false;
                    }

                    @Override
                    public void onDataLost(String reason) {
                        unfit.add("lost: " + reason);
                    }
                });
        engineApplier.start();
        for (int i = 0; i < 200; i++) {
            loop.run(SECOND / 10);
            engineApplier.tick(loop.nanos());
        }
        return engineApplier;
    }

    /** Fills the log, with checkpoints in between. */
    private void fill() {
        ReplicaLog log = log();
        EngineApplier engineApplier = start(log);
        for (int i = 1; i <= ENTRIES; i++) {
            log.append(new LogEntry(
                    LogEntry.Type.UPDATE, 1, i, 0, new RequestId(1, 2, i), 1, "put@1", Bytes.utf8("row " + i)));
            loop.run(SECOND / 10);
            engineApplier.applyNext();
            loop.run(SECOND / 10);
        }
        assertThat(checkpoints()).hasSize(2);
    }

    private List<String> checkpoints() {
        return disk.files(KEY + "/checkpoint/").stream()
                .filter(path -> path.endsWith("/manifest"))
                .toList();
    }

    private void whole(EngineApplier engineApplier) {
        assertThat(engineApplier.isReady()).isTrue();
        assertThat(engineApplier.appliedIndex()).isEqualTo(ENTRIES);
        assertThat(engine.rows(KEY)).hasSize(ENTRIES);
    }

    @Test
    void aFailureThatPassesTakesNoCheckpointAway() {
        for (ErrorCode code :
                List.of(ErrorCode.IO, ErrorCode.DISK_FULL, ErrorCode.UNAVAILABLE, ErrorCode.PORT_FAILED)) {
            disk.wipe("");
            fill();
            List<String> before = checkpoints();
            engine = new TestingEngine(loop, disk);
            engine.failRestores(2, code);
            whole(begin(log()));
            assertThat(checkpoints()).as("after " + code).isEqualTo(before);
        }
    }

    @Test
    void anEngineThatHasLostTheContentsIsRebuilt() {
        fill();
        engine = new TestingEngine(loop, disk);
        EngineApplier engineApplier = begin(log());
        whole(engineApplier);
        int builds = engine.builds();
        engine.lose(KEY);
        assertThat(engine.rows(KEY)).isEmpty();
        engineApplier.onContentsLost(new UniserveException(ErrorCode.CORRUPT, "the engine has lost the contents"));
        assertThat(engineApplier.isReady()).isFalse();
        for (int i = 0; i < 200; i++) {
            loop.run(SECOND / 10);
            engineApplier.tick(loop.nanos());
        }
        whole(engineApplier);
        assertThat(engine.builds()).isGreaterThan(builds);
        assertThat(unfit).containsExactly("the engine has lost the contents");
    }

    @Test
    void aCheckpointThatNeverWorksIsPassedOverAndStays() {
        fill();
        List<String> before = checkpoints();
        engine = new TestingEngine(loop, disk);
        engine.failRestores(Integer.MAX_VALUE, ErrorCode.PORT_FAILED);
        whole(begin(log()));
        assertThat(checkpoints()).contains(before.get(1));
        assertThat(unfit).isNotEmpty();
    }

    @Test
    void aManifestThatCannotBeReadIsNotDeleted() {
        fill();
        List<String> before = checkpoints();
        disk.failReads(before.get(before.size() - 1));
        whole(start(log()));
        assertThat(checkpoints()).contains(before.get(1));
    }

    @Test
    void aDamagedCheckpointIsKeptAside() {
        fill();
        String newest = checkpoints().get(1);
        engine = new TestingEngine(loop, disk);
        engine.failRestores(1, ErrorCode.CORRUPT);
        whole(begin(log()));
        assertThat(disk.files("quarantine/")).isNotEmpty();
        assertThat(checkpoints()).doesNotContain(newest);
    }

    @Test
    void aDamagedManifestIsKeptAside() {
        fill();
        String newest = checkpoints().get(1);
        disk.flip(newest, 12);
        whole(start(log()));
        assertThat(disk.files("quarantine/")).isNotEmpty();
    }

    @Test
    void anUnfinishedCheckpointIsRemoved() {
        fill();
        String newest = checkpoints().get(1);
        disk.wipe(newest);
        whole(start(log()));
        assertThat(disk.files("quarantine/")).isEmpty();
        assertThat(disk.files(newest.substring(0, newest.lastIndexOf('/')))).isEmpty();
    }
}
