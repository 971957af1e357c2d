package io.uniserve.runtime.engine;

import static io.uniserve.runtime.engine.HostWorld.KEY;
import static io.uniserve.runtime.engine.HostWorld.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.ActorUsage;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowStateDependency;
import io.uniserve.runtime.async.Waiter;
import io.uniserve.runtime.disk.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortEngineHostTest {
    private static final String PUT = "kv.put@1";

    @TempDir
    Path directory;

    @Test
    void aCheckpointRestoresTheSameContents() {
        try (HostWorld world = new HostWorld(directory, new KvEngine()).created(KEY)) {
            Waiter.<Done>value(done -> world.apply(KEY, PUT, rows("a", "b", "c"), done));
            Bytes before = Waiter.value(done -> world.host.digest(KEY, done));
            Waiter.<Done>value(done -> world.host.checkpoint(KEY, "t7-a3/c1/data", done));
            Waiter.<Done>value(done -> world.apply(KEY, PUT, rows("d"), done));
            assertThat(Waiter.<Bytes>value(done -> world.host.digest(KEY, done)))
                    .isNotEqualTo(before);
            Waiter.<Done>value(done -> world.host.restore(KEY, world.meta(), "t7-a3/c1/data", done));
            assertThat(Waiter.<Bytes>value(done -> world.host.digest(KEY, done)))
                    .isEqualTo(before);
            assertThat(Waiter.<ActorUsage>value(done -> world.host.usage(KEY, done))
                            .rows())
                    .isEqualTo(3);
        }
    }

    @Test
    void garbageRowsAreInvalidRowsAndChangeNothing() {
        try (HostWorld world = new HostWorld(directory, new KvEngine()).created(KEY)) {
            Bytes good = rows("a");
            Bytes more = new BinaryWriter().writeInt(2).toBytes();
            Bytes negative = new BinaryWriter().writeInt(-1).toBytes();
            byte[] longer = java.util.Arrays.copyOf(good.toArray(), good.size() + 1);
            for (Bytes bad : List.of(
                    Bytes.wrap(new byte[0]),
                    good.slice(0, 3),
                    good.slice(0, good.size() - 1),
                    more,
                    negative,
                    Bytes.wrap(longer),
                    Bytes.utf8("\0\0\0\1garbage"))) {
                UniserveException error =
                        Waiter.<RowStateDependency>error(done -> world.host.validate(KEY, PUT, bad, done));
                assertThat(error.code()).as(error.getMessage()).isEqualTo(ErrorCode.INVALID_ROW);
            }
            assertThat(Waiter.<RowStateDependency>error(done -> world.host.validate(KEY, "kv.none@1", good, done))
                            .code())
                    .isEqualTo(ErrorCode.UNKNOWN_UPDATE);
            Waiter.<RowStateDependency>value(done -> world.host.validate(KEY, PUT, good, done));
            assertThat(world.host.pin(KEY)).isPresent();
        }
    }

    @Test
    void destroyedIsAnActorOnlyWhenItsLastReaderHasGone() {
        TestingPort port = new TestingPort();
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            HostedActor pinned = world.host.pin(KEY).orElseThrow();
            Waiter.<Done>value(done -> world.host.destroy(KEY, done));
            assertThat(world.host.pin(KEY)).isEmpty();
            assertThat(port.events).containsExactly("create");
            assertThat(port.scratches.get(0)).exists();
            pinned.release();
            await().untilAsserted(() -> assertThat(port.events).containsExactly("create", "destroy"));
            await().untilAsserted(() -> assertThat(port.scratches.get(0)).doesNotExist());
            Waiter.<Done>value(done -> world.host.destroy(KEY, done));
        }
    }

    @Test
    void eachStateHasANumberOfItsOwnAndNoneWhileItIsChanged() {
        TestingPort port = new TestingPort();
        Set<Long> numbers = new HashSet<>();
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            numbers.add(state(world));
            assertThat(state(world)).as("unchanged").isIn(numbers).isNotZero();
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("x"), done));
            assertThat(numbers.add(state(world))).as("after an update").isTrue();
            HostedActor pinned = world.host.pin(KEY).orElseThrow();
            Waiter<Done> hung = new Waiter<>();
            world.apply(KEY, TestingPort.UPDATE, rows("hang"), hung);
            await().until(() -> port.hanging.get() > 0);
            assertThat(pinned.stateNumber()).as("while it changes").isZero();
            port.go.countDown();
            assertThat(hung.await()).isInstanceOf(Outcome.Ok.class);
            assertThat(numbers.add(pinned.stateNumber())).isTrue();
            world.created(KEY);
            assertThat(numbers.add(state(world))).as("another actor").isTrue();
            Waiter.<Done>error(done -> world.apply(KEY, TestingPort.UPDATE, rows("fail"), done));
            pinned.release();
        }
        try (HostWorld again = new HostWorld(directory, new TestingPort()).created(KEY)) {
            assertThat(numbers.add(state(again))).as("after a restart").isTrue();
        }
        assertThat(numbers).doesNotContain(0L);
    }

    private static long state(HostWorld world) {
        HostedActor pinned = world.host.pin(KEY).orElseThrow();
        try {
            return pinned.stateNumber();
        } finally {
            pinned.release();
        }
    }

    @Test
    void aReplacedAndAFailedActorLeaveNothingInScratch() throws IOException {
        TestingPort port = new TestingPort();
        try (HostWorld world = new HostWorld(directory, port).created(KEY).created(KEY)) {
            await().untilAsserted(() -> assertThat(port.scratches.get(0)).doesNotExist());
            assertThat(port.scratches.get(1)).exists();
            port.createFails = true;
            assertThat(Waiter.<Done>error(done -> world.host.create(KEY, world.meta(), done))
                            .code())
                    .isEqualTo(ErrorCode.PORT_FAILED);
            assertThat(port.scratches.get(2)).doesNotExist();
            Waiter.<Done>value(done -> world.host.destroy(KEY, done));
            await().untilAsserted(() -> assertThat(names(world.scratch)).containsExactly("engine-testing"));
        }
        assertThat(port.events).endsWith("close");
    }

    @Test
    void afterAFailedApplyNobodyFindsTheActorUntilItIsMadeAnew() {
        try (HostWorld world = new HostWorld(directory, new TestingPort()).created(KEY)) {
            HostedActor reader = world.host.pin(KEY).orElseThrow();
            assertThat(Waiter.<Done>error(done -> world.apply(KEY, TestingPort.UPDATE, rows("x", "fail"), done))
                            .code())
                    .isEqualTo(ErrorCode.PORT_FAILED);
            assertThat(world.host.pin(KEY)).isEmpty();
            assertThat(Waiter.<Done>error(done -> world.host.checkpoint(KEY, "c", done))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(Waiter.<Done>error(done -> world.apply(KEY, TestingPort.UPDATE, rows("y"), done))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
            reader.release();
            world.created(KEY);
            assertThat(world.host.pin(KEY)).isPresent();
        }
    }

    @Test
    void updatesThatNobodyReadsArePublishedForTheFirstReader() {
        TestingPort port = new TestingPort();
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("x"), done));
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("y"), done));
            assertThat(port.events).containsExactly("create", "x", "y");
            HostedActor reader = world.host.pin(KEY).orElseThrow();
            assertThat(reader.isPublished()).isFalse();
            awaitPublished(reader);
            assertThat(port.events).containsExactly("create", "x", "y", "publish");
            assertThat(reader.isPublished()).isTrue();
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("z"), done));
            assertThat(port.events).endsWith("z", "publish");
            assertThat(reader.isPublished()).isTrue();
            world.nanos.addAndGet(Limits.UNPUBLISHED_UNREAD_MS * 1_000_000);
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("u"), done));
            world.nanos.addAndGet(Limits.UNPUBLISHED_UNREAD_MS * 1_000_000);
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("v"), done));
            assertThat(port.events).endsWith("v");
            reader.release();
        }
    }

    @Test
    void whoeverSavesOrComparesAnActorSeesAllOfIt() {
        TestingPort port = new TestingPort();
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            Waiter.<Done>value(done -> world.host.publish(KEY, done));
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("x"), done));
            Waiter.<Done>value(done -> world.host.checkpoint(KEY, "c", done));
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("y"), done));
            Waiter.<Bytes>value(done -> world.host.digest(KEY, done));
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("z"), done));
            Waiter.<Done>value(done -> world.host.publish(KEY, done));
            Waiter.<Done>value(done -> world.host.publish(KEY, done));
            assertThat(port.events).containsExactly("create", "x", "publish", "y", "publish", "z", "publish");
        }
    }

    @Test
    void rowsAreCheckedAgainstAllThatWasAcknowledged() {
        TestingPort port = new TestingPort();
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("x"), done));
            Waiter.<RowStateDependency>value(done -> world.host.validate(KEY, TestingPort.UPDATE, rows("y"), done));
            assertThat(port.events).containsExactly("create", "x");
            Waiter.<RowStateDependency>value(
                    done -> world.host.validate(KEY, TestingPort.UPDATE, rows("y", "look"), done));
            assertThat(port.events).containsExactly("create", "x", "publish");
            world.apply(KEY, TestingPort.UPDATE, rows("fail"), ignored -> {});
            assertThat(Waiter.<Done>error(done -> world.host.checkpoint(KEY, "c", done))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(Waiter.<RowStateDependency>error(
                                    done -> world.host.validate(KEY, TestingPort.UPDATE, rows("look"), done))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
        }
    }

    @Test
    void whatCannotBePublishedIsFoundByNobody() {
        TestingPort port = new TestingPort();
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            port.publishFails = true;
            Waiter.<Done>value(done -> world.apply(KEY, TestingPort.UPDATE, rows("x"), done));
            HostedActor reader = world.host.pin(KEY).orElseThrow();
            awaitPublished(reader);
            assertThat(reader.isPublished()).isFalse();
            assertThat(world.host.pin(KEY)).isEmpty();
            assertThat(Waiter.<Done>error(done -> world.host.publish(KEY, done)).code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
            world.created(KEY);
            awaitPublished(reader); // the replaced actor, not the present one
            reader.release();
            assertThat(port.events).containsOnlyOnce("publish");
        }
    }

    private static void awaitPublished(HostedActor reader) {
        CompletableFuture<Boolean> woken = new CompletableFuture<>();
        reader.publishThen(() -> woken.complete(true));
        assertThat(woken).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void aFullDiskIsToldAsSuchAndReadersKeepTheActorAfterACheckpoint() throws IOException {
        TestingPort port = new TestingPort();
        try (SmallDisk small = SmallDisk.mount(directory.resolve("small"), 4);
                HostWorld world = new HostWorld(small.path(), port).created(KEY)) {
            Path filler = small.fill();
            assertThat(Waiter.<Done>error(done -> world.host.checkpoint(KEY, "c/data", done))
                            .code())
                    .isEqualTo(ErrorCode.DISK_FULL);
            assertThat(world.host.pin(KEY)).hasValueSatisfying(HostedActor::release);
            Files.delete(filler);
            Waiter.<Done>value(done -> world.host.checkpoint(KEY, "c/data", done));
            assertThat(Waiter.<Done>error(done -> world.apply(KEY, TestingPort.UPDATE, rows("fill"), done))
                            .code())
                    .isEqualTo(ErrorCode.DISK_FULL);
            await().untilAsserted(() -> assertThat(port.scratches.get(0)).doesNotExist());
            Waiter.<Done>value(done -> world.host.restore(KEY, world.meta(), "c/data", done));
        }
    }

    @Test
    void twoHostsOfOneEngineLeaveEachOtherAlone() {
        KvEngine engine = new KvEngine();
        try (HostWorld first = new HostWorld(directory.resolve("1"), engine).created(KEY)) {
            Waiter.<Done>value(done -> first.apply(KEY, PUT, rows("a"), done));
            try (HostWorld second = new HostWorld(directory.resolve("2"), engine)) {
                assertThat(second.host.pin(KEY)).isEmpty();
            }
            assertThat(Waiter.<ActorUsage>value(done -> first.host.usage(KEY, done))
                            .rows())
                    .isEqualTo(1);
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> list = Files.list(directory)) {
            return list.map(path -> path.getFileName().toString()).toList();
        }
    }
}
