package io.uniserve.simulator.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.simulator.check.AllowedDataLoss;
import io.uniserve.simulator.cluster.Scenario;
import io.uniserve.simulator.cluster.SimCluster;
import io.uniserve.simulator.cluster.SimulationContext;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.workload.Workload;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table of one actor at rf 1 that is taken over from an incomplete backup. No server runs, so the actor never comes back. */
final class MediaFaultTest {
    private static final ReplicaKey KEY = new ReplicaKey(1, 0);
    private static final String RUN = "backup/sim/1/0/log/%020d-%020d-%020d".formatted(2, 3, 1);

    @TempDir
    private Path scratch;

    private EngineInstance engine;
    private SimulationContext world;
    private MediaFault medium;
    private ServerId other;
    private int mapVersion;

    @BeforeEach
    void cluster() {
        engine = new KvEngine().open(new EngineContext(scratch, Map.of()));
        world = new SimulationContext(1, engine, scratch, Plant.NONE, Workload.EVENTUAL, false, line -> {});
        Scenario scenario = new Scenario(2, 1, 1, 1, 1, 1, 50, OnLoss.RESTORE_ACTOR, Durability.LOCAL);
        SimCluster cluster = new SimCluster(world, scenario);
        medium = new MediaFault(world, cluster, new Prng(1));
        other = cluster.servers().stream()
                .filter(server -> server != medium.victim())
                .findFirst()
                .orElseThrow()
                .id();
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void table(ServerId holder) {
        TableMeta meta = new TableMeta(
                SimulationContext.TABLE,
                1,
                new Partitioner.Hash(1),
                "key",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.RESTORE_ACTOR,
                Durability.LOCAL,
                KvEngine.NAME,
                Map.of());
        multi(new Op.Create(RegistryPaths.meta(SimulationContext.TABLE), meta, false));
        multi(new Op.Create(
                RegistryPaths.map(SimulationContext.TABLE), map(1, holder, 0, true, PreviousIsr.NONE), false));
        multi(new Op.Create(
                RegistryPaths.backup(SimulationContext.TABLE, KEY), new BackupRecord(KEY, false, 1, 3, "", 0), false));
    }

    private static TableMap map(
            long epoch, ServerId holder, long restoreEpoch, boolean begun, PreviousIsr previousIsr) {
        return new TableMap(
                SimulationContext.TABLE,
                1,
                List.of(new ActorState(
                        0,
                        epoch,
                        holder,
                        List.of(holder),
                        List.of(),
                        List.of(),
                        List.of(holder),
                        Map.of(),
                        restoreEpoch,
                        begun,
                        previousIsr)));
    }

    private void multi(Op op) {
        assertThat(world.ensemble().multi("test", List.of(op)).applied()).isTrue();
    }

    private void takeOver(long epoch, ServerId by, ServerId from) {
        set(map(epoch, by, epoch, false, new PreviousIsr(List.of(from), 1, 0)));
    }

    private void set(TableMap map) {
        multi(new Op.Set(RegistryPaths.map(SimulationContext.TABLE), map, mapVersion++));
    }

    private void flip() {
        medium.victim().medium().store(KEY + "/log/1", Bytes.wrap(new byte[100]));
        medium.startFault(Fault.BIT_FLIPPED, () -> {}, () -> {});
    }

    private void ship(boolean rotten) {
        world.faultIntensity().set(Fault.OBJECT_ROTTEN, rotten ? 1_000_000 : 0);
        SimProcess process = world.process("shipper");
        process.start(0);
        world.objects().of(process).put(RUN, Bytes.wrap(new byte[100]), outcome -> {});
        world.runUntil(1_000_000_000, () -> false);
        assertThat(world.objects().isCorrupted(RUN)).isEqualTo(rotten);
    }

    private AllowedDataLoss excused() {
        medium.waited();
        return medium.excused().getOrDefault(0, AllowedDataLoss.DAMAGED_LAST_COPY);
    }

    @Test
    void theOnlyCopyIsDamagedAndTheBackupRotten() {
        table(medium.victim().id());
        ship(true);
        flip();
        takeOver(2, other, medium.victim().id());
        assertThat(medium.excused()).containsEntry(0, AllowedDataLoss.TAKEN_OVER_BEHIND);
        assertThat(excused()).isEqualTo(AllowedDataLoss.ROTTEN_BACKUP);

        takeOver(3, medium.victim().id(), medium.victim().id());
        assertThat(medium.excused())
                .as("one more attempt changes nothing")
                .containsEntry(0, AllowedDataLoss.ROTTEN_BACKUP);
    }

    @Test
    void aWholeCopyIsToComeBack() {
        table(medium.victim().id());
        ship(true);
        takeOver(2, other, medium.victim().id());
        assertThat(excused()).isEqualTo(AllowedDataLoss.TAKEN_OVER_BEHIND);
    }

    @Test
    void aWholeCopyElsewhereIsToComeBack() {
        table(other);
        ship(true);
        flip();
        takeOver(2, medium.victim().id(), other);
        assertThat(excused()).isEqualTo(AllowedDataLoss.TAKEN_OVER_BEHIND);
    }

    @Test
    void aSoundBackupIsToBeRestored() {
        table(medium.victim().id());
        ship(false);
        flip();
        takeOver(2, other, medium.victim().id());
        assertThat(excused()).isEqualTo(AllowedDataLoss.TAKEN_OVER_BEHIND);
    }

    /** The damaged replica does not count any more, and the new one is intact. */
    @Test
    void whoHasBegunAnewIsToServe() {
        table(medium.victim().id());
        ship(true);
        flip();
        takeOver(2, medium.victim().id(), medium.victim().id());
        set(map(2, medium.victim().id(), 2, true, PreviousIsr.NONE));
        assertThat(excused()).isEqualTo(AllowedDataLoss.TAKEN_OVER_BEHIND);
    }
}
