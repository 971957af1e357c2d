package io.uniserve.server.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.operator.Merger;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.runtime.time.SystemClock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReadServiceTest {
    private ReadWorld world = new ReadWorld();

    @AfterEach
    void close() {
        await().until(() -> world.pins.get() == 0);
        assertThat(world.fatal.get()).isNull();
        world.close();
    }

    private void restart(int threads, int queue, long memory) {
        world.close();
        world = new ReadWorld(threads, queue, memory);
    }

    private static ErrorCode onlyFailure(ReadReply reply) {
        assertThat(reply.parts()).isEmpty();
        assertThat(reply.failures()).hasSize(1);
        return reply.failures().get(0).code();
    }

    @Test
    void mergesTheValuesOfAllActorsIntoOnePart() {
        for (int actor = 0; actor < 8; actor++) {
            world.actor(actor, actor);
        }
        ReadReply reply = world.read(ReadWorld.request("kv.count@1", "", 0, 1, 2, 3, 4, 5, 6, 7));
        assertThat(reply.failures()).isEmpty();
        assertThat(reply.parts()).hasSize(1);
        assertThat(reply.parts().get(0).actors()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        assertThat(Codecs.LONG.decode(reply.parts().get(0).value())).isEqualTo(28);
        assertThat(world.service
                        .costs()
                        .total(new ReplicaKey(ReadWorld.TABLE_ID, 7))
                        .calls())
                .isEqualTo(1);
    }

    @Test
    void mergesAllValuesAtOnceAndMeasuresOnlyThoseThatMayBeLarge() {
        restart(2, 10, 100);
        for (int actor = 0; actor < 3; actor++) {
            world.actor(actor, 1);
        }
        Bytes value = Bytes.wrap(new byte[60]);
        world.merging("small@1", (actor, context) -> value, new AllAtOnce(5));
        ReadReply reply = world.read(ReadWorld.request("small@1", "", 0, 1, 2));
        assertThat(reply.failures()).isEmpty();
        assertThat(Codecs.BYTES.decode(reply.parts().get(0).value()).size()).isEqualTo(3);
        world.merging("large@1", (actor, context) -> value, new AllAtOnce(Long.MAX_VALUE));
        assertThat(world.read(ReadWorld.request("large@1", "", 0, 1, 2)).failures())
                .extracting(ActorFailure::code)
                .containsOnly(ErrorCode.RESOURCE_EXHAUSTED);
    }

    @Test
    void manyLargeValuesAreMergedInTheOrderOfActorsBeforeAllHaveArrived() {
        assertThat(joinedBytesOf64Actors(1, 16 << 20)).isEqualTo(joinedBytesOf64Actors(4, 1 << 30));
        await().until(() -> world.service.resultMemory().used() == 0);
    }

    private List<Byte> joinedBytesOf64Actors(int threads, long memory) {
        restart(threads, 10, memory);
        int[] actors = IntStream.range(0, 64).toArray();
        IntStream.of(actors).forEach(actor -> world.actor(actor, 1));
        world.merging(
                "large@1", (actor, context) -> Bytes.wrap(new byte[] {(byte) context.actor()}), new Joined(false));
        ReadReply reply = world.read(ReadWorld.request("large@1", "", actors));
        assertThat(reply.failures()).isEmpty();
        assertThat(reply.parts()).hasSize(1);
        List<Byte> joined = new ArrayList<>();
        for (byte one : Codecs.BYTES.decode(reply.parts().get(0).value()).toArray()) {
            joined.add(one);
        }
        assertThat(joined).hasSize(64).isSorted();
        return joined;
    }

    @Test
    void aFailedEarlyMergeFailsAllActors() {
        restart(1, 10, 16 << 20);
        int[] actors = IntStream.range(0, 64).toArray();
        IntStream.of(actors).forEach(actor -> world.actor(actor, 1));
        world.merging("bad@1", (actor, context) -> Bytes.wrap(new byte[1]), new Joined(true));
        assertThat(world.read(ReadWorld.request("bad@1", "", actors)).failures())
                .hasSize(64)
                .extracting(ActorFailure::code)
                .containsOnly(ErrorCode.PORT_FAILED);
        await().until(() -> world.service.resultMemory().used() == 0);
    }

    /** Merger that appends values, each of which counts as a megabyte, and a merged one as two. */
    private record Joined(boolean fails) implements Merger<String, Bytes> {
        @Override
        public Bytes merge(String parameters, Bytes left, Bytes right) {
            if (fails) {
                throw new IllegalStateException("cannot merge");
            }
            byte[] joined = Arrays.copyOf(left.toArray(), left.size() + right.size());
            System.arraycopy(right.toArray(), 0, joined, left.size(), right.size());
            return Bytes.wrap(joined);
        }

        @Override
        public OptionalLong estimateBytes(Bytes value) {
            return OptionalLong.of(value.size() == 1 ? 1 << 20 : 2 << 20);
        }
    }

    /** Merger that returns as many bytes as it gets values. */
    private record AllAtOnce(long estimate) implements Merger<String, Bytes> {
        @Override
        public Bytes merge(String parameters, Bytes left, Bytes right) {
            throw new AssertionError("two values are merged");
        }

        @Override
        public Bytes mergeAll(String parameters, List<Bytes> values) {
            return Bytes.wrap(new byte[values.size()]);
        }

        @Override
        public OptionalLong estimateBytes(Bytes value) {
            return OptionalLong.of(estimate);
        }
    }

    @Test
    void anOperatorsOwnEstimateIsItsCost() {
        world.actor(0, 1);
        world.actor(1, 1);
        world.actor(2, 1);
        world.operator("gpu@1", (actor, context) -> {
            if (context.actor() > 0) {
                context.reportCost(7);
                context.reportCost(context.actor() == 1 ? 5_000_000_000_000L : -1);
            }
            return Bytes.EMPTY;
        });
        world.read(ReadWorld.request("gpu@1", "", 0, 1, 2));
        assertThat(cost(0)).isBetween(0L, 1_000_000_000_000L);
        assertThat(cost(1)).isEqualTo(5_000_000_000_000L);
        assertThat(cost(2)).isBetween(0L, 1_000_000_000_000L);
    }

    @Test
    void anEstimateOfNothingCountsAlsoWhereTheOperatorFails() {
        world.actor(0, 1);
        world.operator("free@1", (actor, context) -> {
            context.reportCost(0);
            throw new IllegalStateException("no");
        });
        assertThat(onlyFailure(world.read(ReadWorld.request("free@1", "", 0)))).isEqualTo(ErrorCode.PORT_FAILED);
        assertThat(cost(0)).isZero();
    }

    private long cost(int actor) {
        return world.service
                .costs()
                .total(new ReplicaKey(ReadWorld.TABLE_ID, actor))
                .costNanos();
    }

    @Test
    void failsAnActorAlone() {
        world.actor(0, 3);
        world.actor(1, 3);
        world.operator("odd@1", (actor, context) -> {
            if (context.actor() == 1) {
                throw new IllegalStateException("index 7 out of bounds");
            }
            return Bytes.utf8("fine");
        });
        ReadReply reply = world.read(ReadWorld.request("odd@1", "", 0, 1));
        assertThat(reply.parts()).hasSize(1);
        assertThat(reply.parts().get(0).actors()).containsExactly(0);
        ActorFailure failure = reply.failures().get(0);
        assertThat(failure.actor()).isEqualTo(1);
        assertThat(failure.code()).isEqualTo(ErrorCode.PORT_FAILED);
        assertThat(failure.message()).contains("odd@1").contains("java.lang.IllegalStateException: index 7");
    }

    @Test
    void refusesStaleEpochsLeasesAndReplicasOutOfSyncAtOnce() {
        world.actor(0, 1);
        ReadRequest request = ReadWorld.request("kv.count@1", "", 0);
        world.gate(0, 2, true, ReadWorld.SECOND, 1);
        assertThat(onlyFailure(world.read(request))).isEqualTo(ErrorCode.STALE_EPOCH);
        world.gate(0, 1, false, ReadWorld.SECOND, 1);
        assertThat(onlyFailure(world.read(request))).isEqualTo(ErrorCode.UNAVAILABLE);
        world.gate(0, 1, true, -1, 1);
        assertThat(onlyFailure(world.read(request))).isEqualTo(ErrorCode.LEASE_EXPIRED);
        assertThat(world.refreshes).hasValue(0);
    }

    @Test
    void checksTheGateAgainAfterTheOperatorRan() {
        world.actor(0, 1);
        world.operator("deposed@1", (actor, context) -> {
            world.gate(0, 2, true, ReadWorld.SECOND, 1);
            return Bytes.EMPTY;
        });
        assertThat(onlyFailure(world.read(ReadWorld.request("deposed@1", "", 0))))
                .isEqualTo(ErrorCode.STALE_EPOCH);
        world.gate(0, 1, true, ReadWorld.SECOND, 1);
        world.operator("paused@1", (actor, context) -> {
            world.gate(0, 1, true, -1, 1);
            return Bytes.EMPTY;
        });
        assertThat(onlyFailure(world.read(ReadWorld.request("paused@1", "", 0))))
                .isEqualTo(ErrorCode.LEASE_EXPIRED);
        world.gate(0, 1, true, ReadWorld.SECOND, 1);
        world.operator("dropped@1", (actor, context) -> {
            world.gates.remove(new ReplicaKey(ReadWorld.TABLE_ID, 0));
            return Bytes.EMPTY;
        });
        assertThat(onlyFailure(world.read(ReadWorld.request("dropped@1", "", 0))))
                .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void waitsForANewerEpochAndForRowsNotYetApplied() {
        world.actor(0, 4);
        CompletableFuture<Outcome<ReadReply>> newer = world.start(ReadWorld.request(
                "kv.count@1", Codecs.STRING.encode(""), 20 * ReadWorld.SECOND, new ReadRequest.Target(0, 2, 5)));
        await().until(() -> world.refreshes.get() > 0);
        assertThat(newer).isNotDone();
        world.gate(0, 2, true, ReadWorld.SECOND, 4);
        assertThat(newer).isNotDone();
        world.gate(0, 2, true, ReadWorld.SECOND, 5);
        assertThat(newer.join())
                .isInstanceOfSatisfying(
                        Outcome.Ok.class,
                        ok -> assertThat(((ReadReply) ok.value()).parts()).hasSize(1));
    }

    @Test
    void givesUpWaitingAfterAWhile() {
        world.actor(0, 4);
        ReadRequest ahead = ReadWorld.request(
                "kv.count@1", Codecs.STRING.encode(""), 20 * ReadWorld.SECOND, new ReadRequest.Target(0, 9, 0));
        assertThat(onlyFailure(world.read(ahead))).isEqualTo(ErrorCode.STALE_EPOCH);
        ReadRequest behind = ReadWorld.request(
                "kv.count@1", Codecs.STRING.encode(""), 20 * ReadWorld.SECOND, new ReadRequest.Target(0, 1, 100));
        assertThat(onlyFailure(world.read(behind))).isEqualTo(ErrorCode.BEHIND);
        assertThat(onlyFailure(world.read(ReadWorld.request("kv.count@1", "", 5))))
                .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    @Test
    void endsAtTheDeadlineAndOnCancellation() throws InterruptedException {
        world.actor(0, 1);
        CountDownLatch running = new CountDownLatch(2);
        world.operator("spin@1", (actor, context) -> {
            running.countDown();
            while (true) {
                context.checkActive();
                Thread.onSpinWait();
            }
        });
        ReadReply late = world.read(
                ReadWorld.request("spin@1", Codecs.STRING.encode(""), 50_000_000, new ReadRequest.Target(0, 1, 0)));
        assertThat(onlyFailure(late)).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        CompletableFuture<Outcome<ReadReply>> future = new CompletableFuture<>();
        Timers.Cancel cancel = world.service.read(ReadWorld.request("spin@1", "", 0), future::complete);
        running.await();
        cancel.cancel();
        assertThat(future.join())
                .isInstanceOfSatisfying(
                        Outcome.Err.class, e -> assertThat(e.error().code()).isEqualTo(ErrorCode.CANCELLED));
        await().until(() -> world.service.activeRequests() == 0);
    }

    @Test
    void servesOnWhileOperatorsHangPastTheirDeadline() {
        world.actor(0, 1);
        AtomicBoolean release = new AtomicBoolean();
        world.operator("hang@1", (actor, context) -> {
            while (!release.get()) {
                Thread.onSpinWait();
            }
            return Bytes.EMPTY;
        });
        List<CompletableFuture<Outcome<ReadReply>>> hung = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            hung.add(world.start(ReadWorld.request(
                    "hang@1", Codecs.STRING.encode(""), 10_000_000, new ReadRequest.Target(0, 1, 0))));
        }
        ReadReply reply = world.read(ReadWorld.request("kv.count@1", "", 0));
        assertThat(reply.parts()).hasSize(1);
        release.set(true);
        hung.forEach(CompletableFuture::join);
    }

    @Test
    void refusesBadRequests() {
        world.actor(0, 1);
        assertThatThrownBy(() -> world.read(ReadWorld.request("kv.count@1", "")))
                .hasMessageContaining("0 actors");
        assertThatThrownBy(() -> world.read(ReadWorld.request("kv.count@1", "", 0, 0)))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> world.read(
                        ReadWorld.request("kv.count@1", Bytes.EMPTY, Long.MIN_VALUE, new ReadRequest.Target(0, 1, 0))))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        assertThat(onlyFailure(world.read(ReadWorld.request("kv.none@9", "", 0))))
                .isEqualTo(ErrorCode.UNKNOWN_OPERATOR);
        ReadRequest garbage = ReadWorld.request(
                "kv.count@1", Bytes.wrap(new byte[] {127, 1, 1, 1}), ReadWorld.SECOND, new ReadRequest.Target(0, 1, 0));
        assertThat(onlyFailure(world.read(garbage))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        ReadRequest leftOver = ReadWorld.request(
                "kv.count@1",
                Bytes.wrap(new byte[] {0, 0, 0, 0, 9}),
                ReadWorld.SECOND,
                new ReadRequest.Target(0, 1, 0));
        assertThat(onlyFailure(world.read(leftOver))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void boundsResults() {
        world.actor(0, 1);
        world.actor(1, 1);
        world.operator("huge@1", (actor, context) -> Bytes.wrap(new byte[100 << 20]));
        assertThat(onlyFailure(world.read(ReadWorld.request("huge@1", "", 0)))).isEqualTo(ErrorCode.TOO_LARGE);
        world.operator("large@1", (actor, context) -> Bytes.wrap(new byte[Limits.RESULT_BYTES_PER_ACTOR_MAX - 100]));
        ReadReply reply = world.read(ReadWorld.request("large@1", "", 0, 1));
        assertThat(reply.parts()).hasSize(1);
        assertThat(reply.failures()).hasSize(1);
        assertThat(reply.failures().get(0).code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
    }

    @Test
    void boundsValuesThatWaitToBeMerged() {
        restart(2, 100, 10 << 20);
        String text = "x".repeat(6 << 20);
        for (int actor = 0; actor < 2; actor++) {
            world.actor(actor, 0);
            KvUpdateFunctions.PUT.update(
                    Objects.requireNonNull(world.actors.get(new ReplicaKey(ReadWorld.TABLE_ID, actor))),
                    new UpdateContext(1),
                    List.of(new Document("id", Map.of("id", "k" + actor, "text", text))));
        }
        Bytes all = KvOperators.SCAN.parameters().encode(new KvOperators.Scan("", 10));
        ReadRequest.Target[] both = {new ReadRequest.Target(0, 1, 0), new ReadRequest.Target(1, 1, 0)};
        ReadReply reply = world.read(ReadWorld.request("kv.scan@1", all, 20 * ReadWorld.SECOND, both));
        assertThat(reply.failures()).hasSize(1);
        assertThat(reply.failures().get(0).code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(reply.parts()).hasSize(1);
        await().until(() -> world.service.resultMemory().used() == 0);
    }

    @Test
    void refusesResultsBeforeMemoryRunsOut() {
        restart(2, 100, 10 << 20);
        world.actor(0, 1);
        world.operator("large@1", (actor, context) -> Bytes.wrap(new byte[11 << 20]));
        assertThat(onlyFailure(world.read(ReadWorld.request("large@1", "", 0))))
                .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        world.operator("small@1", (actor, context) -> Bytes.wrap(new byte[9 << 20]));
        for (int i = 0; i < 5; i++) {
            assertThat(world.read(ReadWorld.request("small@1", "", 0)).parts()).hasSize(1);
            await().until(() -> world.service.resultMemory().used() == 0);
        }
        await().until(() -> world.service.resultMemory().used() == 0);
    }

    /** Adds operator wait@1, which answers only once this is true. */
    private AtomicBoolean waitsForRelease() {
        AtomicBoolean release = new AtomicBoolean();
        world.operator("wait@1", (actor, context) -> {
            while (!release.get()) {
                Thread.onSpinWait();
            }
            return Bytes.EMPTY;
        });
        return release;
    }

    @Test
    void shedsRequestsWhenTheQueueIsFull() {
        restart(1, 2, 10 << 20);
        world.actor(0, 1);
        AtomicBoolean release = waitsForRelease();
        List<CompletableFuture<Outcome<ReadReply>>> taken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            taken.add(world.start(ReadWorld.request("wait@1", "", 0)));
        }
        assertThatThrownBy(() -> world.read(ReadWorld.request("wait@1", "", 0)))
                .hasMessageContaining("RESOURCE_EXHAUSTED");
        release.set(true);
        taken.forEach(future -> assertThat(future.join()).isInstanceOf(Outcome.Ok.class));
        await().until(() -> world.service.activeRequests() == 0);
    }

    @Test
    void largeParametersTakeTheRoomOfSeveralRequests() {
        restart(1, 2, 10 << 20);
        world.actor(0, 1);
        AtomicBoolean release = waitsForRelease();
        CompletableFuture<Outcome<ReadReply>> two = world.start(ReadWorld.request("wait@1", "x".repeat(1 << 20), 0));
        CompletableFuture<Outcome<ReadReply>> three = world.start(ReadWorld.request("wait@1", "", 0));
        assertThatThrownBy(() -> world.read(ReadWorld.request("wait@1", "", 0)))
                .hasMessageContaining("RESOURCE_EXHAUSTED");
        release.set(true);
        assertThat(two.join()).isInstanceOf(Outcome.Ok.class);
        assertThat(three.join()).isInstanceOf(Outcome.Ok.class);
        await().until(() -> world.service.activeRequests() == 0);
        String largest = "x".repeat(Limits.PARAMETER_BYTES_MAX - 4);
        assertThat(world.read(ReadWorld.request("wait@1", largest, 0)).parts())
                .as("one that is alone finds room")
                .hasSize(1);
        await().until(() -> world.service.activeRequests() == 0);
    }

    @Test
    void answersABriefOperatorOnTheCallersThreadOnceItHasProvedQuick() {
        world.actor(0, 3);
        world.actor(1, 3);
        AtomicBoolean here = new AtomicBoolean();
        Thread caller = Thread.currentThread();
        AtomicBoolean slow = new AtomicBoolean();
        world.brief("quick@1", (actor, context) -> {
            here.set(Thread.currentThread().equals(caller));
            long until = SystemClock.INSTANCE.nanos() + (slow.get() ? ReadWorld.SECOND / 50 : 0);
            while (SystemClock.INSTANCE.nanos() < until) {
                Thread.onSpinWait();
            }
            return Bytes.EMPTY;
        });
        ReadRequest request = ReadWorld.request("quick@1", "", 0, 1);
        assertThat(world.read(request).parts()).hasSize(2);
        assertThat(here).as("not before it has proved quick").isFalse();
        readUntil(request, here, true);
        slow.set(true);
        readUntil(request, here, false);
        slow.set(false);
        readUntil(request, here, true);
    }

    /** Polls on this thread, which Awaitility would not use. */
    private void readUntil(ReadRequest request, AtomicBoolean here, boolean wanted) {
        for (int i = 0; i < 10_000; i++) {
            assertThat(world.read(request).parts()).hasSize(2);
            if (here.get() == wanted) {
                return;
            }
        }
        throw new AssertionError("10,000 reads were answered on the other kind of thread");
    }

    @Test
    void leavesAnOperatorWithoutThePromiseAndLargeParametersToWorkers() {
        world.actor(0, 3);
        Thread caller = Thread.currentThread();
        AtomicBoolean here = new AtomicBoolean();
        world.operator("plain@1", (actor, context) -> {
            here.compareAndSet(false, Thread.currentThread().equals(caller));
            return Bytes.EMPTY;
        });
        world.brief("quick@1", (actor, context) -> {
            here.compareAndSet(false, Thread.currentThread().equals(caller));
            return Bytes.EMPTY;
        });
        String large = "x".repeat(5_000);
        for (int i = 0; i < 2 * OperatorTimeEstimator.SAMPLES_MIN; i++) {
            world.read(ReadWorld.request("plain@1", "", 0));
            world.read(ReadWorld.request("quick@1", large, 0));
        }
        assertThat(here).isFalse();
    }
}
