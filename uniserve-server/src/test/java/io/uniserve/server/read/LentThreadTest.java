package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ReadReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads whose caller lends its thread, to a service of one worker. */
class LentThreadTest {
    private final ReadWorld world = new ReadWorld(1, 10, 1 << 20);
    private final Queue<Runnable> lent = new ArrayDeque<>();
    private final List<Thread> seen = new ArrayList<>();

    @BeforeEach
    void operators() {
        world.actor(0, 1);
        world.operator("who@1", (actor, context) -> {
            synchronized (seen) {
                seen.add(Thread.currentThread());
            }
            return Bytes.utf8("x");
        });
    }

    @AfterEach
    void close() {
        world.close();
        assertThat(world.fatal.get()).isNull();
    }

    private CompletableFuture<Outcome<ReadReply>> read(String operator) {
        CompletableFuture<Outcome<ReadReply>> future = new CompletableFuture<>();
        Timers.Cancel unused = world.service.read(ReadWorld.request(operator, "", 0), future::complete, lent::add);
        return future;
    }

    private static void answered(CompletableFuture<Outcome<ReadReply>> future) {
        assertThat(future.join())
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((ReadReply) ok.value()).parts()).hasSize(1));
    }

    @Test
    void theCallersThreadTakesAnIdleWorkersPlace() {
        CompletableFuture<Outcome<ReadReply>> future = read("who@1");
        assertThat(lent).hasSize(1);
        assertThat(world.service.pool().idle()).as("one is promised").isZero();
        lent.remove().run();
        answered(future);
        assertThat(seen).containsExactly(Thread.currentThread());
        assertThat(world.service.pool().idle()).isEqualTo(1);
        assertThat(world.service.active()).isZero();
    }

    @Test
    void whereAllWorkersAreBusyTheReadWaitsForOne() {
        CountDownLatch go = new CountDownLatch(1);
        world.operator("wait@1", (actor, context) -> {
            await().until(() -> go.getCount() == 0);
            return Bytes.utf8("x");
        });
        CompletableFuture<Outcome<ReadReply>> first = new CompletableFuture<>();
        Timers.Cancel unused = world.service.read(ReadWorld.request("wait@1", "", 0), first::complete);
        await().until(() -> world.service.pool().idle() == 0);
        CompletableFuture<Outcome<ReadReply>> second = read("who@1");
        assertThat(lent).isEmpty();
        go.countDown();
        answered(first);
        answered(second);
        assertThat(seen).hasSize(1).doesNotContain(Thread.currentThread());
    }

    @Test
    void aServiceThatStopsRefusesThatToo() {
        world.service.stop(0);
        assertThat(read("who@1").join())
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((ReadReply) ok.value()).failures())
                                .singleElement()
                                .extracting(ActorFailure::code)
                                .isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(lent).isEmpty();
    }
}
