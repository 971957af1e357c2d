package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.time.SystemClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads whose caller provides its thread, at a service with one worker. */
class CallerThreadExecutorTest {
    private final ReadWorld world = new ReadWorld(1, 10, 1 << 20, false);
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
        assertThat(world.service.pool().idleThreads()).as("one is promised").isZero();
        lent.remove().run();
        answered(future);
        assertThat(seen).containsExactly(Thread.currentThread());
        assertThat(world.service.pool().idleThreads()).isEqualTo(1);
        assertThat(world.service.activeRequests()).isZero();
    }

    private CompletableFuture<Outcome<VersionedRead.Reply>> readVersion() {
        VersionedRead request = new VersionedRead(
                ReadWorld.TABLE,
                ReadWorld.TABLE_ID,
                List.of(new VersionedRead.Target(0, 1)),
                "who@1",
                Codecs.STRING.encode(""),
                0,
                20_000_000_000L);
        CompletableFuture<Outcome<VersionedRead.Reply>> future = new CompletableFuture<>();
        Timers.Cancel unused = world.service.read(request, future::complete, lent::add);
        return future;
    }

    @Test
    void ofAVersionToo() {
        world.keep(0, 3, 100);
        CompletableFuture<Outcome<VersionedRead.Reply>> future = readVersion();
        assertThat(lent).hasSize(1);
        lent.remove().run();
        assertThat(((Outcome.Ok<VersionedRead.Reply>) future.join()).value().parts())
                .extracting(VersionedRead.Part::completeVersion)
                .containsExactly(3L);
        assertThat(seen).containsExactly(Thread.currentThread());
        assertThat(world.service.activeRequests()).isZero();
    }

    /** The resolution arrives long after the caller has continued. */
    @Test
    void whatWaitsForADoubtIsForAWorker() {
        world.keep(0, 3, 100);
        world.gates.publish(
                new ReplicaKey(ReadWorld.TABLE_ID, 0),
                new ReadGate(0, 1, true, SystemClock.INSTANCE.nanos() + 60_000_000_000L, 1, 4, 3, 0));
        AtomicReference<Completion<InDoubtResolution>> asked = new AtomicReference<>();
        world.settled.set((table, key, at, defers, done) -> asked.set(done));
        CompletableFuture<Outcome<VersionedRead.Reply>> future = readVersion();
        Objects.requireNonNull(asked.get()).done(Outcome.ok(InDoubtResolution.omitOpen(4)));
        future.join();
        assertThat(lent).isEmpty();
        assertThat(seen).doesNotContain(Thread.currentThread());
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
        await().until(() -> world.service.pool().idleThreads() == 0);
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
