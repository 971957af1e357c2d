package io.uniserve.runtime.transport.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Bytes;
import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.data.QueryMapping;
import io.uniserve.runtime.tls.TlsFiles;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests and errors over real sockets. */
class TransportTest {
    private final Loopback net = new Loopback();

    @AfterEach
    void close() {
        net.close();
        assertThat(net.fatal.get()).isNull();
    }

    @Test
    void carriesEveryKindOfCall() {
        assertThat(net.ping()).isEqualTo(new PeerReply.Pong(Loopback.SERVER, 7));
        ReadReply read = net.read(Bytes.utf8("hello"));
        assertThat(read.parts()).containsExactly(new ReadReply.Part(List.of(3), Bytes.utf8("hello")));
        assertThat(read.costNanos()).isEqualTo(5);
        UpdateReply update = Loopback.outcome(
                done -> net.client().update(net.address, Loopback.updateRequest(), Loopback.SECOND * 10, done));
        assertThat(update.acks()).containsExactly(new UpdateReply.ActorAck(0, 1, 2, false));
        Answer answer = Loopback.outcome(done -> {
            Timers.Cancel unused = net.client()
                    .query(net.address, new QueryRequest(new TableName("t"), "q=1", 1_000), Loopback.SECOND * 10, done);
        });
        assertThat(answer.body().utf8()).isEqualTo("q=1");
    }

    @Test
    void anAnswerInPlaceOfTheStepsIsRefused() {
        QueryRequest explain = new QueryRequest(
                new TableName("t"),
                "q=1",
                List.of(),
                Optional.empty(),
                1_000,
                0,
                List.of(),
                ReadMode.LINEARIZABLE,
                true);
        Answer steps = Loopback.outcome(done -> {
            Timers.Cancel unused = net.client().query(net.address, explain, Loopback.SECOND * 10, done);
        });
        assertThat(steps.body().utf8()).isEqualTo("q=1");
        // A server that does not know the field ignores it.
        DataProto.QueryReply unaware = QueryMapping.toProto(steps);
        assertThatThrownBy(() -> QueryMapping.fromProto(explain, unaware))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
                .hasMessageContaining("earlier version");
    }

    @Test
    void aQueryHasItsCallersNumber() {
        QueryRequest request = new QueryRequest(
                new TableName("t"),
                "q=1",
                List.of(),
                Optional.empty(),
                1_000,
                0,
                List.of(),
                ReadMode.LINEARIZABLE,
                false,
                -7,
                12);
        assertThat(QueryMapping.fromProto(QueryMapping.toProto(request))).isEqualTo(request);
    }

    @Test
    void carriesLargeValues() {
        net.read = (request, done) -> {
            done.done(Outcome.ok(new ReadReply(
                    List.of(new ReadReply.Part(List.of(3), Bytes.wrap(new byte[Limits.RESULT_BYTES_PER_REPLY_MAX]))),
                    List.of(),
                    0)));
            return () -> {};
        };
        assertThat(net.read(Bytes.EMPTY).parts().get(0).value().size()).isEqualTo(Limits.RESULT_BYTES_PER_REPLY_MAX);
    }

    @Test
    void refusesAnotherCluster() {
        assertThatThrownBy(() -> net.ping("cluster-b"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_CLUSTER))
                .hasMessageContaining("cluster-a")
                .hasMessageContaining("cluster-b");
    }

    @Test
    void carriesTypedErrorsWithWhatWasTried() {
        List<Attempt> tried = List.of(new Attempt("server-2", ErrorCode.STALE_EPOCH, "epoch 3 asked, 4 installed"));
        net.peer = (request, done) -> done.done(
                Outcome.err(new UniserveException(ErrorCode.NOT_LEADER, "grüße \u0000 from s1", tried, null)));
        assertThatThrownBy(net::ping).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).isEqualTo(ErrorCode.NOT_LEADER);
            assertThat(e.reason()).isEqualTo("grüße \u0000 from s1");
            assertThat(e.tried()).isEqualTo(tried);
        });
    }

    @Test
    void cutsMessagesTooLongForATrailer() {
        net.peer = (request, done) ->
                done.done(Outcome.err(new UniserveException(ErrorCode.PORT_FAILED, "ü".repeat(100_000))));
        assertThatThrownBy(net::ping)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PORT_FAILED))
                .hasMessageContaining("...");
    }

    @Test
    void hidesUnexpectedFailuresOfHandlers() {
        net.peer = (request, done) -> {
            throw new IllegalStateException("secret");
        };
        assertThatThrownBy(net::ping)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INTERNAL))
                .hasMessageNotContaining("secret");
    }

    @Test
    void tellsTheHandlerThatTheCallerHasGone() throws InterruptedException {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        net.read = (request, done) -> {
            arrived.countDown();
            return cancelled::countDown;
        };
        CompletableFuture<Outcome<ReadReply>> outcome = new CompletableFuture<>();
        Timers.Cancel cancel = net.client().read(net.address, Loopback.readRequest(Bytes.EMPTY), outcome::complete);
        assertThat(arrived.await(10, TimeUnit.SECONDS)).isTrue();
        cancel.cancel();
        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(outcome.join())
                .isInstanceOfSatisfying(
                        Outcome.Err.class, e -> assertThat(e.error().code()).isEqualTo(ErrorCode.CANCELLED));
    }

    @Test
    void endsACallAtItsDeadlineAndTellsTheHandler() throws InterruptedException {
        CountDownLatch cancelled = new CountDownLatch(1);
        net.query = (request, done) -> cancelled::countDown;
        assertThat(net.ping()).isInstanceOf(PeerReply.Pong.class); // connects first, as the time-out includes it
        UniserveException error = Loopback.error(done -> {
            Timers.Cancel unused = net.client()
                    .query(net.address, new QueryRequest(new TableName("t"), "q=1", 1_000), 200_000_000, typed(done));
        });
        assertThat(error.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(cancelled.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCallOnAConnectionThatWasLetGoOfEndsWithThePool() throws InterruptedException {
        CountDownLatch arrived = new CountDownLatch(1);
        net.peer = (request, done) -> arrived.countDown();
        CompletableFuture<Outcome<PeerReply>> outcome = new CompletableFuture<>();
        net.network(Loopback.CLUSTER)
                .call(
                        net.address,
                        new PeerRequest.Ping(Loopback.SERVER, Loopback.SERVER),
                        600 * Loopback.SECOND,
                        outcome::complete);
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();
        net.channels.retain(Set.of());
        assertThat(outcome).isNotDone();
        net.channels.close();
        assertThat(outcome.orTimeout(20, TimeUnit.SECONDS).join()).isInstanceOf(Outcome.Err.class);
        UniserveException after = Loopback.error(
                done -> net.client().update(net.address, Loopback.updateRequest(), Loopback.SECOND, typed(done)));
        assertThat(after.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    }

    @Test
    void saysUnavailableWhereNobodyListens() {
        Address nobody = new Address("localhost", 1);
        UniserveException error = Loopback.error(
                done -> net.client().update(nobody, Loopback.updateRequest(), Loopback.SECOND * 5, typed(done)));
        assertThat(error.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(error.reason()).contains("localhost:1").contains("refused");
    }

    @Test
    void saysOutcomeUnknownWhenTheServerDiesWithAnUpdate() throws InterruptedException {
        CountDownLatch arrived = new CountDownLatch(2);
        net.update = (request, done) -> arrived.countDown();
        net.read = (request, done) -> {
            arrived.countDown();
            return () -> {};
        };
        CompletableFuture<Outcome<UpdateReply>> update = new CompletableFuture<>();
        CompletableFuture<Outcome<ReadReply>> read = new CompletableFuture<>();
        net.client().update(net.address, Loopback.updateRequest(), Loopback.SECOND * 30, update::complete);
        Timers.Cancel unused = net.client().read(net.address, Loopback.readRequest(Bytes.EMPTY), read::complete);
        assertThat(arrived.await(10, TimeUnit.SECONDS)).isTrue();
        net.server.close();
        assertThat(update.join())
                .isInstanceOfSatisfying(
                        Outcome.Err.class, e -> assertThat(e.error().code()).isEqualTo(ErrorCode.OUTCOME_UNKNOWN));
        assertThat(read.join())
                .isInstanceOfSatisfying(
                        Outcome.Err.class, e -> assertThat(e.error().code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void findsAServerThatCameBackOnItsPort() {
        assertThat(net.ping()).isNotNull();
        net.server.close();
        assertThatThrownBy(net::ping).isInstanceOf(UniserveException.class);
        try (GrpcServer again = net.start(TlsFiles.PLAIN, Authorizer.ALLOW_ALL, net.address.port())) {
            assertThat(again.port()).isEqualTo(net.address.port());
            await().atMost(5, TimeUnit.SECONDS)
                    .ignoreExceptionsInstanceOf(UniserveException.class)
                    .untilAsserted(() -> assertThat(net.ping()).isNotNull());
        }
    }

    @Test
    void saysWhichPortIsTaken() {
        assertThatThrownBy(() -> net.start(TlsFiles.PLAIN, Authorizer.ALLOW_ALL, net.address.port()))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                .hasMessageContaining(":" + net.address.port())
                .hasMessageContaining("another port");
    }

    @Test
    void asksTheAuthorizer() {
        try (Loopback guarded = new Loopback(
                TlsFiles.PLAIN, TlsFiles.PLAIN, (callerIdentity, method) -> !method.startsWith("uniserve.Peer/"))) {
            assertThat(guarded.read(Bytes.EMPTY).parts()).hasSize(1);
            assertThatThrownBy(guarded::ping)
                    .hasMessageContaining("UNAUTHORIZED")
                    .hasMessageContaining("uniserve.Peer/Call");
        }
    }

    @Test
    void keepsOneConnectionAnAddressAndDropsOthers() {
        net.ping();
        net.ping();
        assertThat(net.channels.size()).isEqualTo(1);
        net.channels.retain(Set.of());
        assertThat(net.channels.size()).isZero();
        assertThat(net.ping()).isNotNull();
    }

    @SuppressWarnings("unchecked")
    private static <T> Completion<T> typed(Completion<Object> done) {
        return outcome -> done.done((Outcome<Object>) outcome);
    }
}
