package io.uniserve.runtime.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.tls.TlsFiles;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Brief requests of daemons on one long call, over real sockets. */
class PeerStreamTest {
    private static final TableName TABLE = new TableName("t");

    private final Loopback net = new Loopback();
    private final GrpcNetwork network =
            GrpcNetwork.ofLoop(net.channels, ClusterIdentity.of(Loopback.CLUSTER), net.loop);
    private final ConcurrentLinkedQueue<Completion<PeerReply>> held = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        net.close();
        assertThat(net.fatal.get()).isNull();
    }

    private CompletableFuture<Outcome<PeerReply>> ask(GrpcNetwork from, Address to, PeerRequest request, long nanos) {
        CompletableFuture<Outcome<PeerReply>> future = new CompletableFuture<>();
        net.loop.execute(() -> from.call(to, request, nanos, outcome -> {
            assertThat(net.loop.isLoopThread()).isTrue();
            future.complete(outcome);
        }));
        return future;
    }

    private CompletableFuture<Outcome<PeerReply>> ask(long version) {
        return ask(network, net.address, new PeerRequest.Undisclosed(TABLE, 1, version), 10 * Loopback.SECOND);
    }

    private static Outcome<PeerReply> outcome(CompletableFuture<Outcome<PeerReply>> future) {
        return future.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static ErrorCode error(CompletableFuture<Outcome<PeerReply>> future) {
        if (outcome(future) instanceof Outcome.Err<PeerReply> err) {
            return err.error().code();
        }
        throw new AssertionError("no error");
    }

    private void hold() {
        net.peer = (request, done) -> held.add(done);
    }

    @Test
    void answersComeInAnyOrder() {
        hold();
        CompletableFuture<Outcome<PeerReply>> first = ask(1);
        CompletableFuture<Outcome<PeerReply>> second = ask(2);
        await().until(() -> held.size() == 2);
        Completion<PeerReply> one = held.remove();
        held.remove().done(Outcome.ok(new PeerReply.Ack()));
        assertThat(outcome(second)).isEqualTo(Outcome.ok(new PeerReply.Ack()));
        assertThat(first).isNotDone();
        one.done(Outcome.err(new UniserveException(ErrorCode.NOT_PRIMARY, "another one leads")));
        one.done(Outcome.ok(new PeerReply.Ack())); // too much
        assertThat(error(first)).isEqualTo(ErrorCode.NOT_PRIMARY);
    }

    @Test
    void aHandlerThatThrowsIsAnError() {
        net.peer = (request, done) -> {
            throw UniserveException.invalid("no");
        };
        assertThat(error(ask(1))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        net.peer = (request, done) -> done.done(Outcome.ok(new PeerReply.Ack()));
        assertThat(outcome(ask(2))).as("the call goes on").isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void anAnswerThatDoesNotComeInTimeIsMissed() {
        hold();
        CompletableFuture<Outcome<PeerReply>> late =
                ask(network, net.address, new PeerRequest.Undisclosed(TABLE, 1, 1), TimeUnit.MILLISECONDS.toNanos(50));
        await().until(() -> held.size() == 1);
        assertThat(error(late)).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        held.remove().done(Outcome.ok(new PeerReply.Ack()));
        net.peer = (request, done) -> done.done(Outcome.ok(new PeerReply.Ack()));
        assertThat(outcome(ask(2))).isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void aServerThatGoesDownLeavesTheOutcomeOpen() {
        hold();
        CompletableFuture<Outcome<PeerReply>> lost = ask(1);
        await().until(() -> held.size() == 1);
        int port = net.server.port();
        net.server.close();
        assertThat(error(lost)).isEqualTo(ErrorCode.OUTCOME_UNKNOWN);
        assertThat(error(ask(2))).as("certainly not sent").isEqualTo(ErrorCode.UNAVAILABLE);
        net.peer = (request, done) -> done.done(Outcome.ok(new PeerReply.Ack()));
        try (GrpcServer again = net.start(TlsFiles.PLAIN, Authorizer.ALLOW_ALL, port)) {
            await().until(() -> outcome(ask(3)) instanceof Outcome.Ok<PeerReply>);
            assertThat(again.port()).isEqualTo(port);
        }
    }

    @Test
    void aServerThatStopsAnswersFirst() {
        hold();
        CompletableFuture<Outcome<PeerReply>> asked = ask(1);
        await().until(() -> held.size() == 1);
        Thread stopping = new Thread(() -> net.server.stop(20 * Loopback.SECOND));
        stopping.start();
        await().until(() -> outcome(ask(network, net.address, ping(), Loopback.SECOND)) instanceof Outcome.Err);
        held.remove().done(Outcome.ok(new PeerReply.Ack()));
        assertThat(outcome(asked)).isInstanceOf(Outcome.Ok.class);
        await().until(() -> !stopping.isAlive());
    }

    private static PeerRequest ping() {
        return new PeerRequest.Ping(Loopback.SERVER, Loopback.SERVER);
    }

    @Test
    void anotherClusterIsRefused() {
        GrpcNetwork foreign = GrpcNetwork.ofLoop(net.channels, ClusterIdentity.of("cluster-b"), net.loop);
        assertThat(error(ask(foreign, net.address, new PeerRequest.Undisclosed(TABLE, 1, 1), 10 * Loopback.SECOND)))
                .isEqualTo(ErrorCode.WRONG_CLUSTER);
        net.peer = (request, done) -> done.done(Outcome.ok(new PeerReply.Ack()));
        assertThat(outcome(ask(1))).isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void largeOnesGoByThemselves() {
        net.peer = (request, done) -> done.done(Outcome.ok(new PeerReply.Ack()));
        BatchRows rows =
                new BatchRows(new RequestId(1, 2, 3), "put@1", Bytes.wrap(new byte[4 * Limits.PEER_CALL_BYTES_MAX]));
        PeerRequest large =
                new PeerRequest.Prepare(TABLE, new ReplicaKey(1, 0), 1, 1, 0, 1, List.of(rows), Optional.empty());
        assertThat(outcome(ask(network, net.address, large, 10 * Loopback.SECOND)))
                .isInstanceOf(Outcome.Ok.class);
    }

    @Test
    void manyAtOnceAreAllAnswered() {
        net.peer = (request, done) -> done.done(Outcome.ok(new PeerReply.Ack()));
        List<CompletableFuture<Outcome<PeerReply>>> all = LongStream.range(0, 3L * Limits.PEER_CALLS_PER_STREAM_MAX)
                .mapToObj(this::ask)
                .toList();
        all.forEach(one -> assertThat(outcome(one)).isInstanceOf(Outcome.Ok.class));
    }
}
