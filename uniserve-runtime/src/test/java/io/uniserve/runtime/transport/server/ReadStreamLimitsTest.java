package io.uniserve.runtime.transport.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.ServerCallStreamObserver;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.access.TablePattern;
import io.uniserve.model.registry.AccessRules;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.runtime.config.SecuritySettings;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.ErrorMapping;
import io.uniserve.runtime.proto.ReadMapping;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AccessControl.Caller;
import io.uniserve.runtime.transport.access.AuditRecorder;
import io.uniserve.runtime.transport.access.UserRequestLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A user's stream of reads: reads at the same time, and replies that it does not receive. */
class ReadStreamLimitsTest {
    private static final TableName TABLE = new TableName("t");

    private final AccessControl access = AccessControl.of(new SecuritySettings(true, Set.of()), AuditRecorder.NONE);
    private final UserRequestLimiter limiter = new UserRequestLimiter(SystemClock.INSTANCE);
    private final List<Completion<ReadReply>> running = new ArrayList<>();
    private final TestingObserver observer = new TestingObserver();
    private final ReadStreamHandler stream = open(observer);
    private long ids;

    private void limit(LimitKind kind, long value) {
        access.setRules(Optional.of(AccessRules.NONE
                .with(new RoleGrant("ann", Role.READER, TablePattern.ALL))
                .with(new RoleLimit(Role.READER, kind, value))));
        TableMeta meta = new TableMeta(
                TABLE, 1, new Partitioner.Hash(1), "id", ConsistencyLevel.EVENTUAL, 1, 1, OnLoss.WAIT, "kv", Map.of());
        access.setRouting(new Routing(
                "main", List.of(new Routing.TableRoute(meta, new TableMap(TABLE, 1, List.of()), 0)), List.of(), null));
    }

    private ReadStreamHandler open(TestingObserver replies) {
        List<Caller> found = new ArrayList<>();
        access.with(Optional.of(new CertifiedIdentity("main", Kind.USER, "ann")), "10.0.0.9", "uniserve.Data/Reads")
                .run(() -> found.add(access.current()));
        return new ReadStreamHandler(
                ClusterIdentity.of("main"),
                found.get(0),
                limiter,
                (request, completion) -> {
                    running.add(completion);
                    return () -> {};
                },
                replies,
                handler -> {});
    }

    private void read(ReadStreamHandler on, String operator) {
        ReadRequest request = new ReadRequest(
                TABLE,
                1,
                List.of(new ReadRequest.Target(0, 1, 0)),
                operator,
                Bytes.EMPTY,
                1,
                2,
                0,
                1_000_000_000,
                ReadMode.LINEARIZABLE);
        on.onNext(DataProto.ReadsCall.newBuilder()
                .setId(++ids)
                .setCluster("main")
                .setRead(ReadMapping.toProto(request))
                .build());
    }

    private void answer(int place, int bytes) {
        running.get(place)
                .done(Outcome.ok(new ReadReply(
                        List.of(new ReadReply.Part(List.of(0), Bytes.wrap(new byte[bytes]))), List.of(), 1)));
    }

    private static String error(DataProto.ReadsReply reply) {
        UniserveException error = ErrorMapping.decode(reply.getError().toByteArray());
        return error.code() + " " + error.reason();
    }

    @Test
    void readsAtTheSameTimeAreLimitedButNotTheirRelease() {
        limit(LimitKind.CONCURRENT_QUERIES, 1);
        observer.ready = true;
        read(stream, "get@1");
        assertThat(running).as(observer.sent.toString()).hasSize(1);
        read(stream, "get@1");
        assertThat(running).hasSize(1);
        assertThat(error(observer.sent.get(0))).contains("RESOURCE_EXHAUSTED", "concurrent-queries = 1 of role reader");
        read(stream, ReadRequest.RELEASE);
        assertThat(running).hasSize(2);
        answer(0, 10);
        read(stream, "get@1");
        assertThat(running).hasSize(3);
    }

    @Test
    void repliesThatAUserDoesNotReceiveAreLimitedOverAllItsStreams() {
        limit(LimitKind.RESULT_BYTES, 5_000);
        TestingObserver second = new TestingObserver();
        ReadStreamHandler other = open(second);
        for (int i = 0; i < 3; i++) {
            read(stream, "get@1");
            read(other, "get@1");
        }
        answer(0, 2_000);
        answer(1, 2_000);
        answer(2, 2_000);
        answer(3, 500);
        observer.receive();
        second.receive();
        assertThat(observer.sent).hasSize(2);
        assertThat(observer.sent.get(0).hasReply()).isTrue();
        assertThat(error(observer.sent.get(1)))
                .contains("RESOURCE_EXHAUSTED", "result-bytes = 5000 of role reader", "wait to be received");
        assertThat(second.sent).hasSize(2).allMatch(DataProto.ReadsReply::hasReply);
        observer.ready = false;
        answer(4, 9_000);
        observer.receive();
        assertThat(observer.sent.get(2).hasReply()).as("one reply alone").isTrue();
    }

    @Test
    void aDisconnectedUserLeavesNothingCounted() {
        limit(LimitKind.RESULT_BYTES, 5_000);
        read(stream, "get@1");
        answer(0, 4_900);
        observer.disconnect();
        TestingObserver second = new TestingObserver();
        ReadStreamHandler other = open(second);
        read(other, "get@1");
        read(other, "get@1");
        answer(1, 2_000);
        answer(2, 2_000);
        second.receive();
        assertThat(second.sent).hasSize(2).allMatch(DataProto.ReadsReply::hasReply);
    }

    /** Receiver that the test makes ready. */
    private static final class TestingObserver extends ServerCallStreamObserver<DataProto.ReadsReply> {
        private final List<DataProto.ReadsReply> sent = new ArrayList<>();
        private boolean ready;
        private Runnable onReady = () -> {};
        private Runnable onCancel = () -> {};

        private void receive() {
            ready = true;
            onReady.run();
        }

        private void disconnect() {
            onCancel.run();
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {
            onCancel = handler;
        }

        @Override
        public void setOnCloseHandler(Runnable handler) {
            // these tests do not close the call
        }

        @Override
        public void setCompression(String compression) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {
            onReady = handler;
        }

        @Override
        public void request(int count) {
            // the test calls the handler itself
        }

        @Override
        public void setMessageCompression(boolean enable) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void disableAutoInboundFlowControl() {
            // there is no flow control
        }

        @Override
        public void onNext(DataProto.ReadsReply reply) {
            sent.add(reply);
        }

        @Override
        public void onError(Throwable error) {
            throw new AssertionError(error);
        }

        @Override
        public void onCompleted() {
            throw new AssertionError("completed");
        }
    }
}
