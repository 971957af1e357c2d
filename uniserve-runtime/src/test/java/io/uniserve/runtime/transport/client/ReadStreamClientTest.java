package io.uniserve.runtime.transport.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.runtime.proto.DataGrpc;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.ReadMapping;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.server.Authorizer;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.runtime.transport.server.Loopback;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many reads on one call, over a real socket. */
class ReadStreamClientTest {
    private final Loopback net = new Loopback();
    /** Unanswered reads of the handler, by their parameters. */
    private final Map<String, Completion<ReadReply>> held = new ConcurrentHashMap<>();

    private final Map<String, CountDownLatch> cancelled = new ConcurrentHashMap<>();

    @AfterEach
    void close() {
        net.close();
        assertThat(net.fatal.get()).isNull();
    }

    @Test
    void answersInAnyOrder() {
        hold();
        List<CompletableFuture<Outcome<ReadReply>>> reads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            reads.add(read("read " + i));
        }
        await().until(() -> held.size() == 100);
        for (int i = 99; i >= 0; i--) {
            answer("read " + i, Bytes.utf8("answer " + i));
            assertThat(value(reads.get(i)).utf8()).isEqualTo("answer " + i);
        }
        assertThat(net.channels.size()).isEqualTo(1);
    }

    @Test
    void aSmallReplyPassesALargeOne() {
        hold();
        CompletableFuture<Outcome<ReadReply>> large = read("large");
        CompletableFuture<Outcome<ReadReply>> small = read("small");
        await().until(() -> held.size() == 2);
        List<String> order = new ArrayList<>();
        var largeSeen = large.thenRun(() -> add(order, "large"));
        var smallSeen = small.thenRun(() -> add(order, "small"));
        byte[] bytes = new byte[Limits.RESULT_BYTES_PER_REPLY_MAX];
        for (int i = 0; i < bytes.length; i += 1_000) {
            bytes[i] = (byte) (i / 1_000);
        }
        answer("large", Bytes.wrap(bytes));
        answer("small", Bytes.utf8("s"));
        assertThat(value(small).utf8()).isEqualTo("s");
        assertThat(value(large)).isEqualTo(Bytes.wrap(bytes));
        largeSeen.join();
        smallSeen.join();
        assertThat(order).containsExactly("small", "large");
    }

    @Test
    void anErrorIsOfItsReadOnly() {
        net.read = (request, done) -> {
            if (request.parameters().utf8().equals("bad")) {
                throw new IllegalStateException("secret");
            }
            done.done(Outcome.err(
                    new UniserveException(ErrorCode.BEHIND, request.parameters().utf8())));
            return () -> {};
        };
        assertThat(error(read("bad")).getMessage()).contains("INTERNAL").doesNotContain("secret");
        assertThat(error(read("late")).code()).isEqualTo(ErrorCode.BEHIND);
    }

    @Test
    void cancelsOneReadAndLeavesTheOthers() throws InterruptedException {
        hold();
        CompletableFuture<Outcome<ReadReply>> stays = read("stays");
        CompletableFuture<Outcome<ReadReply>> goes = new CompletableFuture<>();
        Timers.Cancel cancel = net.client().read(net.address, request("goes"), goes::complete);
        await().until(() -> held.size() == 2);
        cancel.cancel();
        assertThat(error(goes).code()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(Objects.requireNonNull(cancelled.get("goes")).await(10, TimeUnit.SECONDS))
                .isTrue();
        answer("goes", Bytes.utf8("too late"));
        answer("stays", Bytes.utf8("in time"));
        assertThat(value(stays).utf8()).isEqualTo("in time");
        assertThat(Objects.requireNonNull(cancelled.get("stays")).getCount()).isEqualTo(1);
    }

    /** State machines cancel all parts of a read on its answer; the server must get no cancellation for an answered read. */
    @Test
    void aReadThatIsLetGoOfAsItIsAnsweredEndsOnce() {
        hold();
        GrpcClientNetwork direct =
                new GrpcClientNetwork(net.channels, ClusterIdentity.of(Loopback.CLUSTER), Runnable::run);
        List<Outcome<ReadReply>> heard = new CopyOnWriteArrayList<>();
        AtomicReference<Timers.Cancel> cancel = new AtomicReference<>(() -> {});
        cancel.set(direct.read(net.address, request("read"), outcome -> {
            heard.add(outcome);
            Objects.requireNonNull(cancel.get()).cancel();
        }));
        await().until(() -> held.size() == 1);
        answer("read", Bytes.utf8("answer"));
        await().until(() -> !heard.isEmpty());
        CompletableFuture<Outcome<ReadReply>> next = read("next"); // on the same call, after it
        await().until(() -> held.size() == 2);
        answer("next", Bytes.utf8("2"));
        assertThat(value(next).utf8()).isEqualTo("2");
        assertThat(heard).singleElement().isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void aServerThatStopsAnswersWhatItHasTaken() {
        hold();
        CompletableFuture<Outcome<ReadReply>> taken = read("taken");
        await().until(() -> held.size() == 1);
        Thread stopping = new Thread(() -> net.server.stop(20 * Loopback.SECOND));
        stopping.start();
        await().untilAsserted(() -> assertThat(error(read("late")).code()).isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(taken).isNotDone();
        answer("taken", Bytes.utf8("answer"));
        assertThat(value(taken).utf8()).isEqualTo("answer");
        await().until(() -> !stopping.isAlive());
    }

    @Test
    void aServerThatDiesFailsAllReadsAndIsFoundAgain() {
        hold();
        CompletableFuture<Outcome<ReadReply>> first = read("first");
        CompletableFuture<Outcome<ReadReply>> second = read("second");
        await().until(() -> held.size() == 2);
        net.server.close();
        assertThat(error(first).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(error(second).code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(error(read("third")).reason()).contains(net.address.toString());
        try (GrpcServer again = net.start(TlsFiles.PLAIN, Authorizer.ALLOW_ALL, net.address.port())) {
            assertThat(again.port()).isEqualTo(net.address.port());
            net.read = (request, done) -> {
                done.done(reply(request.parameters()));
                return () -> {};
            };
            await().untilAsserted(() -> assertThat(value(read("fourth")).utf8()).isEqualTo("fourth"));
        }
    }

    @Test
    void aConnectionThatIsDroppedAnswersWhatItCarries() {
        hold();
        CompletableFuture<Outcome<ReadReply>> before = read("before");
        await().until(() -> held.size() == 1);
        net.channels.retain(java.util.Set.of());
        CompletableFuture<Outcome<ReadReply>> after = read("after");
        await().until(() -> held.size() == 2);
        answer("before", Bytes.utf8("1"));
        answer("after", Bytes.utf8("2"));
        assertThat(value(before).utf8()).isEqualTo("1");
        assertThat(value(after).utf8()).isEqualTo("2");
    }

    @Test
    void boundsWhatIsAskedOfOneServer() {
        hold();
        for (int i = 0; i < Limits.READS_PER_STREAM_MAX; i++) {
            var unused = read("read " + i);
        }
        assertThat(error(read("one more")).code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
    }

    @Test
    void anIdTwiceOrAnotherClusterEndsTheCall() {
        hold();
        DataProto.ReadRequest read = ReadMapping.toProto(request("same"));
        DataProto.ReadsCall first = DataProto.ReadsCall.newBuilder()
                .setId(7)
                .setCluster(Loopback.CLUSTER)
                .setRead(read)
                .build();
        assertThat(raw(first, first).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(raw(first.toBuilder().setCluster("cluster-b").build()).code())
                .isEqualTo(ErrorCode.WRONG_CLUSTER);
        assertThat(raw(first.toBuilder().clearCluster().build()).code()).isEqualTo(ErrorCode.WRONG_CLUSTER);
    }

    @Test
    void aCallerThatTakesNothingIsNotHeard() throws InterruptedException {
        AtomicInteger handled = new AtomicInteger();
        byte[] large = new byte[100_000];
        net.read = (request, done) -> {
            handled.incrementAndGet();
            done.done(reply(Bytes.wrap(large)));
            return () -> {};
        };
        ManagedChannel channel = channel();
        try {
            Stalled stalled = new Stalled(2_000);
            StreamObserver<DataProto.ReadsCall> reads =
                    DataGrpc.newStub(channel).reads(stalled);
            DataProto.ReadRequest read = ReadMapping.toProto(request("x"));
            for (int id = 1; id <= 2_000; id++) {
                reads.onNext(DataProto.ReadsCall.newBuilder()
                        .setId(id)
                        .setCluster(Loopback.CLUSTER)
                        .setRead(read)
                        .build());
            }
            // Sent on the same connection after them: once it is answered, the server would have received them all.
            assertThat(ended(channel, DataProto.ReadsCall.getDefaultInstance()).code())
                    .isEqualTo(ErrorCode.WRONG_CLUSTER);
            assertThat(handled.get()).isLessThan(500);
            stalled.goOn();
            assertThat(stalled.all.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(handled.get()).isEqualTo(2_000);
        } finally {
            channel.shutdownNow();
        }
    }

    /** Receives replies only after a signal. */
    private static final class Stalled implements ClientResponseObserver<DataProto.ReadsCall, DataProto.ReadsReply> {
        private final CountDownLatch all;
        private volatile @Nullable ClientCallStreamObserver<DataProto.ReadsCall> call;

        private Stalled(int replies) {
            all = new CountDownLatch(replies);
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<DataProto.ReadsCall> started) {
            started.disableAutoRequestWithInitial(0);
            call = started;
        }

        private void goOn() {
            Objects.requireNonNull(call).request(Integer.MAX_VALUE);
        }

        @Override
        public void onNext(DataProto.ReadsReply reply) {
            all.countDown();
        }

        @Override
        public void onError(Throwable problem) {
            // The latch, which stays open, shows it.
        }

        @Override
        public void onCompleted() {
            // The latch, which stays open, shows it.
        }
    }

    private ManagedChannel channel() {
        return ManagedChannelBuilder.forAddress("localhost", net.address.port())
                .usePlaintext()
                .build();
    }

    /** Returns the error with which the server ends a call of these messages on a separate connection. */
    private UniserveException raw(DataProto.ReadsCall... messages) {
        ManagedChannel channel = channel();
        try {
            return ended(channel, messages);
        } finally {
            channel.shutdownNow();
        }
    }

    private static UniserveException ended(ManagedChannel channel, DataProto.ReadsCall... messages) {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        StreamObserver<DataProto.ReadsCall> reads = DataGrpc.newStub(channel).reads(new Ended(end));
        for (DataProto.ReadsCall message : messages) {
            reads.onNext(message);
        }
        return StatusMapping.fromStatus(end.orTimeout(20, TimeUnit.SECONDS).join(), "x", true, true);
    }

    private record Ended(CompletableFuture<Throwable> end) implements StreamObserver<DataProto.ReadsReply> {
        @Override
        public void onNext(DataProto.ReadsReply reply) {
            end.completeExceptionally(new AssertionError("a reply: " + reply));
        }

        @Override
        public void onError(Throwable problem) {
            end.complete(problem);
        }

        @Override
        public void onCompleted() {
            end.completeExceptionally(new AssertionError("ended without an error"));
        }
    }

    private void hold() {
        net.read = (request, done) -> {
            CountDownLatch latch = new CountDownLatch(1);
            cancelled.put(request.parameters().utf8(), latch);
            held.put(request.parameters().utf8(), done);
            return latch::countDown;
        };
    }

    private void answer(String read, Bytes value) {
        Objects.requireNonNull(held.get(read)).done(reply(value));
    }

    private static Outcome<ReadReply> reply(Bytes value) {
        return Outcome.ok(new ReadReply(List.of(new ReadReply.Part(List.of(3), value)), List.of(), 0));
    }

    private static ReadRequest request(String parameters) {
        return Loopback.readRequest(Bytes.utf8(parameters));
    }

    private CompletableFuture<Outcome<ReadReply>> read(String parameters) {
        CompletableFuture<Outcome<ReadReply>> outcome = new CompletableFuture<>();
        Timers.Cancel unused = net.client().read(net.address, request(parameters), outcome::complete);
        return outcome;
    }

    private static Bytes value(CompletableFuture<Outcome<ReadReply>> read) {
        Outcome<ReadReply> outcome = read.orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(outcome).isInstanceOf(Outcome.Ok.class);
        return ((Outcome.Ok<ReadReply>) outcome).value().parts().get(0).value();
    }

    private static UniserveException error(CompletableFuture<Outcome<ReadReply>> read) {
        Outcome<ReadReply> outcome = read.orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(outcome).isInstanceOf(Outcome.Err.class);
        return ((Outcome.Err<ReadReply>) outcome).error();
    }

    private static void add(List<String> order, String name) {
        synchronized (order) {
            order.add(name);
        }
    }
}
