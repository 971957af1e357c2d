package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of processes in mode closed: users do what users do, and nothing that only servers and coordinators may do. */
class ClosedClusterIT {
    private static final String CLUSTER = "local";
    private static final String TABLE = "pairs";
    private static final Duration DAYS = Duration.ofDays(2);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long CALL_NANOS = 20_000_000_000L;

    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));

    private final Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());

    @TempDir
    private Path directory;

    private static TlsFiles tls(CertificateFiles files, Path trust) {
        return new TlsFiles(
                true, Optional.of(files.certificate()), Optional.of(files.key()), Optional.of(trust), false);
    }

    private static Map<String, String> settings(CertificateFiles files) {
        Map<String, String> settings = new HashMap<>();
        settings.put("security.mode", "closed");
        settings.put("tls.enabled", "true");
        settings.put("tls.certificate-file", files.certificate().toString());
        settings.put("tls.key-file", files.key().toString());
        settings.put("tls.trust-file", files.trust().toString());
        return settings;
    }

    private static Outcome<PeerReply> call(Address address, TlsFiles tls, PeerRequest request) throws Exception {
        EventLoop loop = new EventLoop("caller", SystemClock.INSTANCE, failure -> {
            throw new AssertionError(failure);
        });
        try (ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, tls)) {
            CompletableFuture<Outcome<PeerReply>> reply = new CompletableFuture<>();
            new GrpcNetwork(channels, ClusterIdentity.of(CLUSTER), loop)
                    .call(address, request, CALL_NANOS, reply::complete);
            return reply.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } finally {
            loop.close();
        }
    }

    private static UniserveClient client(ProcessCluster cluster, TlsFiles tls, Duration patience) {
        return UniserveClient.builder()
                .bootstrap(cluster.address("coordinator-1").toString())
                .connectTimeout(patience)
                .tls(tls)
                .build();
    }

    @Test
    void usersQueryAndUpdateButDoNotPassForServers() throws Exception {
        CertificateAuthority authority = CertificateAuthority.create(directory.resolve("authority"), CLUSTER, now);
        CertificateFiles node = authority.issueServer(
                "node",
                List.of("127.0.0.1", InetAddress.getLocalHost().getHostName()),
                now,
                DAYS,
                directory.resolve("node"));
        CertificateFiles ann = authority.issueUser("ann", now, DAYS, directory.resolve("ann"));
        CertificateFiles admin = authority.issueUser("admin", now, DAYS, directory.resolve("admin"));
        CertificateFiles stranger = CertificateAuthority.create(directory.resolve("strangers"), CLUSTER, now)
                .issueServer("node", List.of("127.0.0.1"), now, DAYS, directory.resolve("stranger"));
        try (ProcessCluster cluster =
                new ProcessCluster(ProcessClusterOptions.of(directory, 2, "kv").with(settings(node)))) {
            cluster.start();
            try (UniserveClient client = client(cluster, tls(admin, admin.trust()), PATIENCE)) {
                client.admin()
                        .createTable(TableSpec.named(TABLE).port("kv").hash(4).replicas(2));
                client.admin().changeGrant(new RoleGrant("ann", Role.WRITER, new TablePattern(TABLE)), false);
            }
            TlsFiles user = tls(ann, ann.trust());
            try (UniserveClient client = client(cluster, user, PATIENCE)) {
                client.table(TABLE)
                        .update("kv.put@1", Document.CODEC, List.of(new Document("key", Map.of("key", "a"))))
                        .run()
                        .orThrow();
                List<Document> found = client.table(TABLE).key("a").retrieve(GET, "a", values -> values.get(0));
                assertThat(found).hasSize(1);
            }
            List<PeerRequest> ofProcesses =
                    List.of(new PeerRequest.Draining(new ServerId("server-1"), 1), new PeerRequest.ReportLoad());
            for (String daemon : List.of("coordinator-1", "server-1")) {
                for (PeerRequest request : ofProcesses) {
                    Outcome<PeerReply> outcome = call(cluster.address(daemon), user, request);
                    assertThat(outcome.error().code())
                            .as(daemon + " " + request)
                            .isEqualTo(ErrorCode.UNAUTHORIZED);
                    assertThat(outcome.error().getMessage())
                            .contains("uniserve://local/user/ann is no server", "uniserve.Peer/Call");
                }
            }
            assertThat(call(cluster.address("server-1"), tls(node, node.trust()), new PeerRequest.ReportLoad()))
                    .isInstanceOf(Outcome.Ok.class);
            for (TlsFiles foreign : List.of(
                    tls(stranger, node.trust()),
                    new TlsFiles(true, Optional.empty(), Optional.empty(), Optional.of(node.trust()), false),
                    TlsFiles.PLAIN)) {
                assertThat(call(cluster.address("server-1"), foreign, new PeerRequest.ReportLoad()))
                        .isInstanceOf(Outcome.Err.class);
                assertThatThrownBy(() ->
                                client(cluster, foreign, Duration.ofSeconds(3)).close())
                        .isInstanceOf(UniserveException.class);
            }
        }
    }
}
