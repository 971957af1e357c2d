package io.uniserve.runtime.engine;

import static io.uniserve.runtime.engine.HostWorld.KEY;
import static io.uniserve.runtime.engine.HostWorld.OTHER;
import static io.uniserve.runtime.engine.HostWorld.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.ActorUsage;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.RowStateDependency;
import io.uniserve.runtime.async.Waiter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineCallExecutorTest {
    @TempDir
    Path directory;

    private final TestingPort port = new TestingPort();

    @Test
    void destroyWaitsForTheCreateBeforeItAndLeavesNoOrphan() {
        port.createHangs = true;
        try (HostWorld world = new HostWorld(directory, port)) {
            Waiter<Done> created = new Waiter<>();
            Waiter<Done> destroyed = new Waiter<>();
            world.host.create(KEY, world.meta(), created);
            world.host.destroy(KEY, destroyed);
            await().untilAsserted(() -> assertThat(port.hanging).hasValue(1));
            assertThat(destroyed.isDone()).isFalse();
            port.go.countDown();
            assertThat(created.await()).isInstanceOf(Outcome.Ok.class);
            assertThat(destroyed.await()).isInstanceOf(Outcome.Ok.class);
            assertThat(world.host.pin(KEY)).isEmpty();
            await().untilAsserted(() -> assertThat(port.events).containsExactly("create", "destroy"));
            await().untilAsserted(() -> assertThat(port.scratches.get(0)).doesNotExist());
        }
    }

    @Test
    void updatesOfOneReplicaRunInTheirOrder() {
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            Waiter<Done> last = new Waiter<>();
            for (int i = 0; i < 100; i++) {
                Waiter<Done> each = i == 99 ? last : new Waiter<>();
                world.apply(KEY, TestingPort.UPDATE, rows("u" + i), each);
            }
            assertThat(last.await()).isInstanceOf(Outcome.Ok.class);
            assertThat(port.events).hasSize(101);
            for (int i = 0; i < 100; i++) {
                assertThat(port.events.get(i + 1)).isEqualTo("u" + i);
            }
        }
    }

    @Test
    void behindAHungCallThoseOfItsReplicaWaitAndAllOthersGoOn() {
        try (HostWorld world = new HostWorld(directory, port).created(KEY).created(OTHER)) {
            Waiter<Done> hung = new Waiter<>();
            Waiter<Done> behind = new Waiter<>();
            world.apply(KEY, TestingPort.UPDATE, rows("hang"), hung);
            world.apply(KEY, TestingPort.UPDATE, rows("later"), behind);
            Waiter.<Done>value(done -> world.apply(OTHER, TestingPort.UPDATE, rows("other"), done));
            Waiter.<RowStateDependency>value(done -> world.host.validate(KEY, TestingPort.UPDATE, rows("check"), done));
            assertThat(Waiter.<Bytes>value(done -> world.host.digest(KEY, done)).size())
                    .isEqualTo(1);
            assertThat(behind.isDone()).isFalse();
            port.go.countDown();
            assertThat(hung.await()).isInstanceOf(Outcome.Ok.class);
            assertThat(behind.await()).isInstanceOf(Outcome.Ok.class);
            assertThat(port.events).endsWith("other", "later");
        }
    }

    @Test
    void spareThreadsTakeOverWhereStuckCallsHoldAll() {
        try (HostWorld world = new HostWorld(directory, port)) {
            world.created(OTHER);
            for (int i = 0; i < HostWorld.THREADS; i++) {
                ReplicaKey key = new ReplicaKey(9, i);
                world.created(key).apply(key, TestingPort.UPDATE, rows("hang"), new Waiter<>());
            }
            await().untilAsserted(() -> assertThat(port.hanging).hasValue(HostWorld.THREADS));
            Waiter<ActorUsage> queued = new Waiter<>();
            world.host.usage(OTHER, queued);
            world.nanos.addAndGet(EngineCallExecutor.STUCK_NANOS + 1);
            assertThat(world.host.longestRunningNanos()).isEqualTo(EngineCallExecutor.STUCK_NANOS + 1);
            assertThat(world.host.running())
                    .extracting(EngineCallExecutor.Running::what)
                    .containsExactlyInAnyOrder("apply to t9-a0", "apply to t9-a1");
            assertThat(Waiter.<ActorUsage>value(done -> world.host.usage(OTHER, done)))
                    .isEqualTo(new ActorUsage(1, 2, 3));
            assertThat(queued.await()).isInstanceOf(Outcome.Ok.class);
            port.go.countDown();
            await().untilAsserted(() -> assertThat(world.host.running()).isEmpty());
            assertThat(world.host.longestRunningNanos()).isZero();
        }
    }

    @Test
    void aLackOfMemoryIsFatalAndNotLost() {
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            Waiter<Done> never = new Waiter<>();
            world.apply(KEY, TestingPort.UPDATE, rows("memory"), never);
            await().untilAsserted(() -> assertThat(world.fatal).singleElement().isInstanceOf(OutOfMemoryError.class));
            assertThat(never.isDone()).isFalse();
            assertThat(world.host.pin(KEY)).isEmpty();
        }
    }

    @Test
    void callsAfterTheEndAreRefused() {
        try (HostWorld world = new HostWorld(directory, port).created(KEY)) {
            world.host.close();
            assertThat(Waiter.<Done>error(done -> world.host.destroy(KEY, done)).code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
            assertThat(Waiter.<ActorUsage>error(done -> world.host.usage(KEY, done))
                            .code())
                    .isEqualTo(ErrorCode.UNAVAILABLE);
        }
    }
}
