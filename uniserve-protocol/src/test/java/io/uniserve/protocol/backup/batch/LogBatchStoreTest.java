package io.uniserve.protocol.backup.batch;

import static io.uniserve.protocol.backup.batch.BatchWorld.CLUSTER;
import static io.uniserve.protocol.backup.batch.BatchWorld.SECOND;
import static io.uniserve.protocol.backup.batch.BatchWorld.actor;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LogBatchStoreTest {
    private final BatchWorld world = new BatchWorld();
    private final LogBatchStore store = world.store();

    /** Ships a run of each actor, all in one batch if it has room. */
    private List<String> shipAll(int actors) {
        List<String> keys = new ArrayList<>();
        // The first one is stored at once, by itself.
        world.ship(store, actor(999), 1, 1);
        for (int i = 0; i < actors; i++) {
            keys.add(world.ship(store, actor(i), 3, 2));
        }
        world.loop.run(2 * SECOND);
        return keys;
    }

    @Test
    void runsOfManyActorsShareOneObject() {
        List<String> keys = shipAll(5);
        assertThat(world.batches()).hasSize(1);
        assertThat(world.own(actor(0))).isEmpty();
        assertThat(world.own(actor(999))).as("a lone run").hasSize(1);
        assertThat(world.objects.puts()).isEqualTo(2);
        LogBatchStore other = world.store();
        assertThat(world.list(other, BackupPaths.cluster(CLUSTER)))
                .containsAll(keys)
                .hasSize(6);
        assertThat(world.list(other, "")).containsAll(keys).hasSize(7);
        for (int i = 0; i < 5; i++) {
            assertThat(world.list(other, BackupPaths.root(CLUSTER, actor(i)))).containsExactly(keys.get(i));
            assertThat(world.get(other, keys.get(i)).value()).isEqualTo(BatchWorld.run(3, 1, 2, 10));
            assertThat(world.readLog(store, actor(i))).isEqualTo(2);
        }
        assertThat(world.list(other, BackupPaths.root(CLUSTER, actor(50)))).isEmpty();
        int lists = world.objects.lists();
        assertThat(world.list(other, BackupPaths.checkpointPrefix(CLUSTER, actor(1))))
                .isEmpty();
        assertThat(world.list(other, BackupPaths.pinPrefix(CLUSTER, actor(1)))).isEmpty();
        assertThat(world.list(other, "definition/")).isEmpty();
        assertThat(world.objects.lists() - lists).as("none of batches").isEqualTo(3);
    }

    @Test
    void anUrgentRunTakesTheWaitingOnesAlong() {
        world.ship(store, actor(1), 1, 1);
        world.loop.run(SECOND / 10);
        world.ship(store, actor(2), 1, 1);
        String urgent = BackupPaths.log(CLUSTER, actor(3), 1, 4, 1);
        Outcome<Done> stored = world.await(done -> store.put(urgent, BatchWorld.run(1, 1, 4, 10), done));
        assertThat(stored).isInstanceOf(Outcome.Ok.class);
        assertThat(world.batches()).hasSize(1);
        assertThat(world.readLog(world.store(), actor(2))).isEqualTo(1);
        assertThat(world.readLog(world.store(), actor(3))).isEqualTo(4);
    }

    @Test
    void largeRunsAndOtherObjectsAreStoredByThemselves() {
        Bytes large = BatchWorld.run(1, 1, 1, LogBatchStore.RUN_BYTES_MAX);
        String run = BackupPaths.log(CLUSTER, actor(1), 1, 1, 1);
        String ofOther = BackupPaths.log("other", actor(1), 1, 1, 1);
        world.await((Consumer<Completion<Done>>) done -> store.putSoon(run, large, done));
        world.await((Consumer<Completion<Done>>) done -> store.putSoon(ofOther, Bytes.utf8("x"), done));
        world.await((Consumer<Completion<Done>>) done -> store.put("definition/test/7/x", Bytes.utf8("x"), done));
        assertThat(world.objects.keys("")).containsExactlyInAnyOrder(run, ofOther, "definition/test/7/x");
    }

    @Test
    void manyActorsNeedSeveralObjectsWithKeysOfBoundedLength() {
        shipAll(200);
        assertThat(world.batches())
                .hasSizeGreaterThan(2)
                .allSatisfy(key -> assertThat(key.length()).isLessThanOrEqualTo(LogBatchKey.CHARS_MAX));
        for (int i = 0; i < 200; i++) {
            assertThat(world.readLog(world.store(), actor(i))).isEqualTo(2);
        }
    }

    @Test
    void aFailureIsThatOfEachRun() {
        world.ship(store, actor(1), 1, 1);
        world.loop.run(SECOND / 10);
        world.objects.refuse("batch/", ErrorCode.UNAVAILABLE);
        List<Outcome<Done>> outcomes = new ArrayList<>();
        for (int i = 2; i < 5; i++) {
            store.putSoon(BackupPaths.log(CLUSTER, actor(i), 1, 1, 1), BatchWorld.run(1, 1, 1, 10), outcomes::add);
        }
        world.loop.run(2 * SECOND);
        assertThat(outcomes)
                .hasSize(3)
                .allSatisfy(outcome -> assertThat(outcome.error().code()).isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(world.list(store, BackupPaths.root(CLUSTER, actor(3)))).isEmpty();
    }

    @Test
    void aTruncatedBatchIsCorrupt() {
        List<String> keys = shipAll(3);
        world.objects.truncate(world.batches().get(0));
        world.list(store, "");
        for (String key : keys) {
            assertThat(world.get(store, key).error().code()).isEqualTo(ErrorCode.CORRUPT);
        }
    }

    @Test
    void theDeletionOfARunLeavesTheOthers() {
        List<String> keys = shipAll(3);
        world.list(store, "");
        Outcome<Done> deleted = world.await(done -> store.delete(keys.get(0), done));
        assertThat(deleted).isInstanceOf(Outcome.Ok.class);
        assertThat(world.readLog(world.store(), actor(1))).isEqualTo(2);
    }

    @Test
    void separatedRunsOutliveTheBatch() {
        List<String> keys = shipAll(3);
        LogBatchStore other = world.store();
        world.list(other, BackupPaths.root(CLUSTER, actor(1)));
        Outcome<Done> done = world.await(then -> other.separate(List.of(keys.get(1)), then));
        assertThat(done).isInstanceOf(Outcome.Ok.class);
        assertThat(world.own(actor(1))).containsExactly(keys.get(1));
        world.objects.remove(world.batches().get(0));
        assertThat(world.get(other, keys.get(1)).value()).isEqualTo(BatchWorld.run(3, 1, 2, 10));
        world.list(store, "");
        assertThat(world.get(store, keys.get(1)).value())
                .as("a server that knows the run in the batch")
                .isEqualTo(BatchWorld.run(3, 1, 2, 10));
    }

    @Test
    void aDamagedRunIsNotSeparated() {
        shipAll(2);
        world.objects.flip(world.batches().get(0));
        List<String> all = world.list(store, BackupPaths.cluster(CLUSTER));
        Outcome<Done> done = world.await(then -> store.separate(all, then));
        assertThat(done.error().code()).isEqualTo(ErrorCode.CORRUPT);
    }

    @Test
    void aListingThatIsLateHidesNothingFromTheWriter() {
        List<String> keys = shipAll(3);
        world.objects.remove(world.batches().get(0));
        assertThat(world.list(store, "")).containsAll(keys);
        world.loop.run(61 * SECOND);
        assertThat(world.list(store, "")).doesNotContainAnyElementsOf(keys);
    }
}
