package io.uniserve.protocol.backup.batch;

import static io.uniserve.protocol.backup.batch.BatchWorld.CLUSTER;
import static io.uniserve.protocol.backup.batch.BatchWorld.SECOND;
import static io.uniserve.protocol.backup.batch.BatchWorld.actor;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.batch.LogRunNeeds.State;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.env.Registry.Op;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogBatchSweeperTest {
    private static final TableName TABLE = new TableName("t");

    private final BatchWorld world = new BatchWorld();
    private final LogBatchStore store = world.store();

    /** Ships an entry per actor and second. */
    private void shipFor(int seconds, int actors) {
        for (int second = 0; second < seconds; second++) {
            for (int i = 0; i < actors; i++) {
                world.ship(store, actor(i), 1, 1);
            }
            world.loop.run(SECOND);
        }
        world.loop.run(2 * SECOND);
    }

    private void checkLogs(int actors) {
        for (int i = 0; i < actors; i++) {
            assertThat(world.readLog(world.store(), actor(i))).isEqualTo(world.shipped.get(actor(i)));
        }
    }

    private void covered(int actor, long index) {
        BackupRecord record = new BackupRecord(actor(actor), false, 1, index, "manifest", index);
        world.registry.multi(this, List.of(new Op.Create(RegistryPaths.backup(TABLE, actor(actor)), record, false)));
    }

    @Test
    void longerRunsReplaceBatches() {
        world.sweeper(store);
        for (int minute = 0; minute < 24; minute++) {
            shipFor(60, 4);
            checkLogs(4);
            assertThat(world.batches()).hasSizeLessThanOrEqualTo(800);
        }
        assertThat(world.batches()).as("batches of the last minutes").hasSizeGreaterThan(60);
        assertThat(world.own(actor(1))).hasSizeBetween(2, 8);
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isEmpty();
        checkLogs(4);
    }

    @Test
    void aServerWithoutNewRunsOnlyListsBatches() {
        world.sweeper(store);
        shipFor(10, 3);
        world.loop.run(3_600 * SECOND);
        int puts = world.objects.puts();
        int gets = world.objects.gets();
        int lists = world.objects.lists();
        world.loop.run(3_600 * SECOND);
        assertThat(world.objects.puts()).isEqualTo(puts);
        assertThat(world.objects.gets()).isEqualTo(gets);
        assertThat(world.objects.lists() - lists).isBetween(2, 3);
    }

    @Test
    void runsThatACheckpointCoversAreNotStoredAgain() {
        world.sweeper(store);
        shipFor(20, 3);
        covered(0, 20);
        covered(1, 7);
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isEmpty();
        assertThat(world.own(actor(0))).as("the first run of all is alone").hasSize(1);
        assertThat(world.own(actor(1)).get(0)).contains("%020d-%020d".formatted(8, 20));
        assertThat(world.readLog(world.store(), actor(2))).isEqualTo(20);
    }

    @Test
    void onlyTheMarkProvesThatATableIsDropped() {
        world.sweeper(store);
        shipFor(20, 3);
        world.actors.put(actor(1), new LogRunNeeds.Actor(State.ABSENT, null));
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isNotEmpty();
        world.objects.set(StoredTableDefinition.dropped(CLUSTER, 7), "dropped");
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isEmpty();
        assertThat(world.own(actor(1))).isEmpty();
        assertThat(world.readLog(world.store(), actor(2))).isEqualTo(20);
    }

    @Test
    void expiredChunksAreNotStoredAgainAndUnknownActorsKeepTheirBatches() {
        world.sweeper(store);
        shipFor(20, 3);
        world.actors.put(actor(1), new LogRunNeeds.Actor(State.EXPIRED, null));
        world.actors.put(actor(2), new LogRunNeeds.Actor(State.UNKNOWN, null));
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isNotEmpty();
        world.actors.remove(actor(2));
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isEmpty();
        assertThat(world.own(actor(1))).isEmpty();
        checkLogs(1);
    }

    @Test
    void aDamagedBatchStaysAndHindersNoOther() {
        world.sweeper(store);
        shipFor(20, 3);
        String damaged = world.batches().get(5);
        world.objects.flip(damaged);
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).containsExactly(damaged);
    }

    @Test
    void batchesStayWhileTheirReplacementCannotBeStored() {
        world.sweeper(store);
        shipFor(20, 3);
        int batches = world.batches().size();
        world.objects.refuse("backup/", ErrorCode.UNAVAILABLE);
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).hasSize(batches);
        world.objects.refuse("");
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isEmpty();
        checkLogs(3);
    }

    @Test
    void anotherServerReplacesTheBatchesOfALostOne() {
        shipFor(20, 3);
        world.sweeper(world.store());
        world.sweeper(world.store());
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isNotEmpty();
        world.loop.run(3_000 * SECOND);
        assertThat(world.batches()).isEmpty();
        checkLogs(3);
    }

    @Test
    void runsOfDifferentPrimariesStayApart() {
        world.sweeper(store);
        for (int i = 0; i < 6; i++) {
            world.ship(store, actor(0), i < 3 ? 1 : 2, 300);
            world.ship(store, actor(1), 1, 500);
            world.loop.run(SECOND / 2);
        }
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isEmpty();
        assertThat(world.own(actor(0))).allMatch(key -> key.endsWith("1") || key.endsWith("2"));
        assertThat(world.readLog(world.store(), actor(0))).isEqualTo(world.shipped.get(actor(0)));
        assertThat(world.own(actor(1))).hasSize(1);
        assertThat(world.readLog(world.store(), actor(1))).isEqualTo(3_000);
    }

    @Test
    void aTableThatIsDroppedMeanwhileLeavesNoRuns() {
        world.sweeper(store);
        shipFor(20, 2);
        List<String> before = world.own(actor(1));
        world.objects.meanwhile(() -> {
            world.objects.set(StoredTableDefinition.dropped(CLUSTER, 7), "dropped");
            world.actors.put(actor(0), new LogRunNeeds.Actor(State.ABSENT, null));
            world.actors.put(actor(1), new LogRunNeeds.Actor(State.ABSENT, null));
        });
        world.loop.run(1_000 * SECOND);
        assertThat(world.batches()).isEmpty();
        assertThat(world.own(actor(1))).isEqualTo(before);
    }

    /** The registry of a server may be replaced by an empty one, which does not prove that a table was dropped. */
    @Test
    void aTableThatIsOnlyMissingMeanwhileKeepsItsRuns() {
        world.sweeper(store);
        shipFor(20, 2);
        world.objects.meanwhile(() -> {
            world.actors.put(actor(0), new LogRunNeeds.Actor(State.ABSENT, null));
            world.actors.put(actor(1), new LogRunNeeds.Actor(State.ABSENT, null));
        });
        world.loop.run(1_000 * SECOND);
        checkLogs(2);
    }
}
