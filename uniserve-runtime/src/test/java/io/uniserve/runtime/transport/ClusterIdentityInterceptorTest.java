package io.uniserve.runtime.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.runtime.transport.server.Loopback;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clusters with one name and different identities never exchange requests. */
class ClusterIdentityInterceptorTest {
    private static final String FIRST = "11111111-2222-4333-8444-555555555555";
    private static final String SECOND = "66666666-7777-4888-9999-aaaaaaaaaaaa";

    private final ClusterIdentity served = ClusterIdentity.of(Loopback.CLUSTER);
    private final ClusterIdentity calling = ClusterIdentity.of(Loopback.CLUSTER);
    private final AtomicInteger handled = new AtomicInteger();
    private final AtomicReference<Throwable> fatal = new AtomicReference<>();
    private final EventLoop loop = new EventLoop("test-caller", SystemClock.INSTANCE, fatal::set);
    private final ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, TlsFiles.PLAIN, calling);
    private final GrpcServer server = GrpcServer.builder(served)
            .peers((request, done) -> {
                handled.incrementAndGet();
                done.done(Outcome.ok(new PeerReply.Pong(Loopback.SERVER, 7)));
            })
            .start("localhost", 0);

    @AfterEach
    void stop() {
        channels.close();
        server.close();
        loop.close();
    }

    private PeerReply ping() {
        return call(new Address("localhost", server.port()));
    }

    private void refused(String... words) {
        assertThatThrownBy(this::ping)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_CLUSTER))
                .hasMessageContainingAll(words);
    }

    @Test
    void aCallOfAnotherIdentityIsRefusedBeforeItsHandler() {
        served.setIdentity(FIRST);
        calling.setIdentity(SECOND);
        refused(FIRST, SECOND, Loopback.CLUSTER);
        assertThat(handled).hasValue(0);
    }

    @Test
    void theFirstIdentityIsKeptAndAnotherOneIsNeverMixedWithIt() {
        served.setIdentity(FIRST);
        ping();
        assertThat(calling.identity()).isEqualTo(FIRST);
        ping();
        ClusterIdentity other = ClusterIdentity.of(Loopback.CLUSTER);
        try (GrpcServer next = GrpcServer.builder(other)
                .peers((request, done) -> done.done(Outcome.ok(new PeerReply.Pong(Loopback.SERVER, 8))))
                .start("localhost", 0)) {
            Address address = new Address("localhost", next.port());
            // The server checks no header before it has its own identity, so the caller must check the answer.
            PeerReply answer = call(address);
            assertThat(answer).isInstanceOf(PeerReply.Pong.class);
            other.setIdentity(SECOND);
            assertThatThrownBy(() -> call(address)).hasMessageContainingAll(FIRST, SECOND);
        }
        assertThat(calling.identity()).isEqualTo(FIRST);
    }

    private PeerReply call(Address address) {
        return Loopback.outcome(done -> new GrpcNetwork(channels, calling, loop)
                .call(address, new PeerRequest.Ping(Loopback.SERVER, Loopback.SERVER), 10 * Loopback.SECOND, done));
    }

    @Test
    void anAnswerOfAnotherIdentityIsAnError() {
        ClusterIdentity changing = ClusterIdentity.of(Loopback.CLUSTER);
        calling.setIdentity(FIRST);
        try (GrpcServer next = GrpcServer.builder(changing)
                .peers((request, done) -> {
                    changing.setIdentity(SECOND);
                    done.done(Outcome.ok(new PeerReply.Pong(Loopback.SERVER, 8)));
                })
                .start("localhost", 0)) {
            assertThatThrownBy(() -> call(new Address("localhost", next.port())))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WRONG_CLUSTER))
                    .hasMessageContainingAll(FIRST, SECOND);
        }
    }

    @Test
    void callersAndServersWithoutAnIdentityAreAccepted() {
        assertThat(ping()).isInstanceOf(PeerReply.Pong.class);
        calling.setIdentity(FIRST);
        assertThat(ping()).isInstanceOf(PeerReply.Pong.class);
        assertThat(served.identity()).isNull();
    }

    @Test
    void aProcessThatHasLeftServiceRefusesEveryCallWithItsReason() {
        ping();
        served.rejectAll(new UniserveException(ErrorCode.WRONG_CLUSTER, "its registry is another cluster's"));
        refused("its registry is another cluster's");
        assertThat(handled).hasValue(1);
    }
}
