package io.uniserve.cli.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process accepts as a server, over real sockets, with certificates of {@code uniserve security issue}. */
class ServerCertificateTest {
    private static final String CLUSTER = "main";
    private static final Duration DAYS = Duration.ofDays(2);
    private static final long CALL_NANOS = 10_000_000_000L;

    private final Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());

    @TempDir
    private Path directory;

    private CertificateAuthority authority;
    private CertificateFiles caller;

    @BeforeEach
    void create() {
        authority = CertificateAuthority.create(directory.resolve("authority"), CLUSTER, now);
        caller = authority.issueServer("caller", List.of(), now, DAYS, directory.resolve("caller"));
    }

    /** Calls a listener with the certificate, from a process of the cluster, or a client that does not know its cluster yet. */
    private Outcome<PeerReply> call(CertificateFiles listener, ClusterIdentity cluster) throws Exception {
        EventLoop loop = new EventLoop("caller", SystemClock.INSTANCE, failure -> {
            throw new AssertionError(failure);
        });
        GrpcServer listening = GrpcServer.builder(ClusterIdentity.of(CLUSTER))
                .tls(tls(listener, Optional.empty()))
                .peers((request, done) -> done.done(Outcome.ok(new PeerReply.Pong(new ServerId("s1"), 7))))
                .start("127.0.0.1", 0);
        TlsFiles own = tls(caller, Optional.of(caller.trust()));
        try (ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, own, cluster)) {
            CompletableFuture<Outcome<PeerReply>> reply = new CompletableFuture<>();
            Address address = new Address("127.0.0.1", listening.port());
            PeerRequest ping = new PeerRequest.Ping(new ServerId("caller"), new ServerId("s1"));
            new GrpcNetwork(channels, ClusterIdentity.of(CLUSTER), loop)
                    .call(address, ping, CALL_NANOS, reply::complete);
            return reply.get(1, TimeUnit.MINUTES);
        } finally {
            listening.stop(0);
            loop.close();
        }
    }

    private static TlsFiles tls(CertificateFiles files, Optional<Path> trust) {
        return new TlsFiles(true, Optional.of(files.certificate()), Optional.of(files.key()), trust, false);
    }

    private void refusedByAll(CertificateFiles listener, String why) throws Exception {
        for (ClusterIdentity cluster : List.of(ClusterIdentity.of(CLUSTER), ClusterIdentity.unknown())) {
            Outcome<PeerReply> outcome = call(listener, cluster);
            assertThat(outcome).isInstanceOf(Outcome.Err.class);
            assertThat(outcome.error().getMessage()).contains(why);
        }
    }

    @Test
    void aServerIsAcceptedUnderAnyHostName() throws Exception {
        for (List<String> hosts : List.of(List.<String>of(), List.of("elsewhere.example.org"), List.of("127.0.0.1"))) {
            Path out = directory.resolve(String.join("-", hosts) + "s1");
            CertificateFiles files = authority.issueServer("s1", hosts, now, DAYS, out);
            for (ClusterIdentity cluster : List.of(ClusterIdentity.of(CLUSTER), ClusterIdentity.unknown())) {
                assertThat(call(files, cluster)).isInstanceOf(Outcome.Ok.class);
            }
        }
    }

    @Test
    void aUserIsNoServer() throws Exception {
        refusedByAll(authority.issueUser("ann", now, DAYS, directory.resolve("ann")), "uniserve://main/user/ann");
    }

    /** Its certificate has the host name and the purposes of a server, so only the identity differs. */
    @Test
    void zooKeeperIsNoServer() throws Exception {
        refusedByAll(
                authority.issueZooKeeper("zk1", List.of("127.0.0.1"), now, DAYS, directory.resolve("zk1")),
                "uniserve://main/zookeeper/zk1");
    }

    @Test
    void aServerOfAnotherAuthorityIsRefused() throws Exception {
        CertificateAuthority other = CertificateAuthority.create(directory.resolve("other"), CLUSTER, now);
        refusedByAll(other.issueServer("s1", List.of("127.0.0.1"), now, DAYS, directory.resolve("s1")), "UNAVAILABLE");
    }

    @Test
    void anExpiredServerIsRefused() throws Exception {
        Instant past = now.minus(Duration.ofDays(10));
        refusedByAll(
                authority.issueServer("s1", List.of("127.0.0.1"), past, DAYS, directory.resolve("s1")), "NotAfter");
    }

    @Test
    void aServerOfAnotherClusterIsRefused() throws Exception {
        CertificateFiles files = authority.issueServer("s1", List.of("127.0.0.1"), now, DAYS, directory.resolve("s1"));
        Outcome<PeerReply> outcome = call(files, ClusterIdentity.of("spare"));
        assertThat(outcome).isInstanceOf(Outcome.Err.class);
        assertThat(outcome.error().getMessage()).contains("uniserve://main/server/s1", "cluster spare");
    }
}
