package io.uniserve.cli.process;

import io.uniserve.client.UniserveClient;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Cluster of processes in mode closed with an authority of its own, and a client per user. For one thread, except its clients. */
final class SecuredProcessCluster implements AutoCloseable {
    /** Time in which the slowest machine has started the processes. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final Duration DAYS = Duration.ofDays(2);

    private final Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    private final Path directory;
    private final CertificateAuthority authority;
    private final ProcessCluster cluster;
    private final Map<String, UniserveClient> clients = new HashMap<>();

    /** Starts one coordinator and two servers. User {@code admin} is an admin by the settings. */
    SecuredProcessCluster(Path directory, String port) throws IOException {
        this.directory = directory;
        authority = CertificateAuthority.create(directory.resolve("authority"), "local", now);
        CertificateFiles node = authority.issueServer(
                "node",
                List.of("127.0.0.1", InetAddress.getLocalHost().getHostName()),
                now,
                DAYS,
                directory.resolve("node"));
        cluster = new ProcessCluster(ProcessClusterOptions.of(directory, 2, port)
                .with(Map.of(
                        "security.mode", "closed",
                        "tls.enabled", "true",
                        "tls.certificate-file", node.certificate().toString(),
                        "tls.key-file", node.key().toString(),
                        "tls.trust-file", node.trust().toString())));
        cluster.start();
    }

    ProcessCluster processes() {
        return cluster;
    }

    /** Client of a user; its certificate is issued at the first call. */
    UniserveClient client(String user) {
        return clients.computeIfAbsent(user, name -> {
            authority.issueUser(name, now, DAYS, directory.resolve(name));
            return UniserveClient.builder()
                    .bootstrap(cluster.address("coordinator-1").toString())
                    .connectTimeout(PATIENCE)
                    .tls(tls(name))
                    .build();
        });
    }

    /** Files of a user that has a client. */
    TlsFiles tls(String user) {
        Path folder = directory.resolve(user);
        return new TlsFiles(
                true,
                Optional.of(folder.resolve(user + ".pem")),
                Optional.of(folder.resolve(user + ".key")),
                Optional.of(folder.resolve("trust.pem")),
                false);
    }

    @Override
    public void close() {
        clients.values().forEach(UniserveClient::close);
        cluster.close();
    }
}
