package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.status.CertificatePrinter;
import io.uniserve.client.ProcessCertificate;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.client.UniserveClientBuilder;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Certificates of a cluster of processes and of a client that are renewed every few seconds, and an authority that is replaced three times, while clients read
 * and write: no request fails, and every answer is right. With {@code -Pfull} certificates are renewed for ten minutes.
 */
class RenewalIT {
    private static final String CLUSTER = "local";
    private static final String TABLE = "pairs";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration VALIDITY = Duration.ofMinutes(10);
    private static final boolean FULL = Boolean.getBoolean("uniserve.test.full");
    /** Certificates are renewed when they are this old. */
    private static final Duration AGE = Duration.ofSeconds(FULL ? 10 : 2);
    /** Renewals go on for this time before the authority is replaced. */
    private static final Duration RENEWING = Duration.ofMinutes(FULL ? 10 : 0);
    /** Renewals of each process in that time. */
    private static final int RENEWALS = FULL ? 30 : 2;

    private static final List<String> PROCESSES = List.of("coordinator-1", "server-1", "server-2");
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));

    @TempDir
    private Path directory;

    private CertificateAuthority authority;

    private static Instant now() {
        return Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    }

    private Path file(String owner, String suffix) {
        return directory.resolve("identities").resolve(owner + suffix);
    }

    /** Makes an authority, and lets the coordinator use it. */
    private void replaceAuthority(int number) throws IOException {
        Path folder = directory.resolve("authority-" + number);
        authority = CertificateAuthority.create(folder, CLUSTER, now());
        Path link = Files.createSymbolicLink(directory.resolve("link-" + number), folder);
        Files.move(link, directory.resolve("authority"), StandardCopyOption.ATOMIC_MOVE);
    }

    private String certificate(int number) throws IOException {
        return Files.readString(directory.resolve("authority-" + number).resolve("authority.pem"));
    }

    /** Makes processes and users trust these authorities. */
    private void trust(List<String> owners, String authorities) throws IOException {
        for (String owner : owners) {
            Path next = Files.writeString(file(owner, "-trust.new"), authorities);
            Files.move(next, file(owner, "-trust.pem"), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** Issues an identity and puts its files in their place. Nothing renews that of the admin. */
    private void issue(String owner, boolean user) throws IOException {
        Path out = Files.createTempDirectory(directory, "issued");
        Duration validity = owner.equals("admin") ? VALIDITY.plus(RENEWING) : VALIDITY;
        CertificateFiles files = user
                ? authority.issueUser(owner, now(), validity, out)
                : authority.issueServer(owner, List.of(), now(), VALIDITY, out);
        Files.createDirectories(directory.resolve("identities"));
        Files.move(files.key(), file(owner, ".key"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(files.certificate(), file(owner, ".pem"), StandardCopyOption.REPLACE_EXISTING);
    }

    private TlsFiles tls(String owner) {
        return new TlsFiles(
                true,
                Optional.of(file(owner, ".pem")),
                Optional.of(file(owner, ".key")),
                Optional.of(file(owner, "-trust.pem")),
                false);
    }

    private Map<String, String> settings(String owner) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "security.mode",
                "closed",
                "security.connection-age",
                "2s",
                "security.renewal.before",
                VALIDITY.minus(AGE).toSeconds() + "s",
                "security.renewal.validity",
                VALIDITY.toSeconds() + "s",
                "tls.enabled",
                "true",
                "tls.certificate-file",
                file(owner, ".pem").toString(),
                "tls.key-file",
                file(owner, ".key").toString(),
                "tls.trust-file",
                file(owner, "-trust.pem").toString()));
        if (owner.startsWith("coordinator")) {
            settings.put(
                    "security.renewal.authority", directory.resolve("authority").toString());
            settings.put("security.renewal.users", "bob,an*");
        }
        return settings;
    }

    private UniserveClientBuilder client(ProcessCluster cluster, String user) {
        return UniserveClient.builder()
                .bootstrap(cluster.address("coordinator-1").toString())
                .connectTimeout(PATIENCE)
                .tls(tls(user));
    }

    private static void put(UniserveClient client, String key, String value) {
        client.table(TABLE)
                .update("kv.put@1", Document.CODEC, List.of(new Document("key", Map.of("key", key, "value", value))))
                .run()
                .orThrow();
    }

    private static Object get(UniserveClient client, String key) {
        return client.table(TABLE)
                .key(key)
                .retrieve(GET, key, values -> values.get(0))
                .get(0)
                .fields()
                .get("value");
    }

    /** Writes and reads until it is stopped. Fails with the first request that fails, or reads something else than was written. */
    private static CompletableFuture<Integer> load(UniserveClient client, int worker, AtomicBoolean stop) {
        return CompletableFuture.supplyAsync(() -> {
            int done = 0;
            while (!stop.get()) {
                String key = worker + "-" + done % 50;
                String value = "v" + done;
                put(client, key, value);
                assertThat(get(client, key)).isEqualTo(value);
                done++;
            }
            return done;
        });
    }

    private static void awaitAll(UniserveClient admin, String what, Predicate<CertificateStatus> condition) {
        await(what).atMost(PATIENCE.plus(RENEWING)).until(() -> {
            List<ProcessCertificate> processes = admin.admin().certificates();
            return processes.size() == PROCESSES.size()
                    && processes.stream()
                            .allMatch(one -> one.status().filter(condition).isPresent());
        });
    }

    @Test
    void renewalsAndNewAuthoritiesFailNoRequest() throws Exception {
        replaceAuthority(0);
        List<String> users = List.of("admin", "ann");
        List<String> owners = new ArrayList<>(PROCESSES);
        owners.addAll(users);
        for (String owner : owners) {
            issue(owner, users.contains(owner));
        }
        trust(owners, certificate(0));
        try (ProcessCluster cluster = new ProcessCluster(ProcessClusterOptions.of(directory, 2, "kv"))) {
            cluster.startZooKeeper();
            cluster.launchCoordinator("coordinator-1", settings("coordinator-1"));
            cluster.await("coordinator-1");
            for (String server : PROCESSES.subList(1, PROCESSES.size())) {
                cluster.launchServer(server, settings(server));
                cluster.await(server);
            }
            try (UniserveClient admin = client(cluster, "admin").build();
                    UniserveClient ann = client(cluster, "ann")
                            .renewCertificate(VALIDITY.minus(AGE))
                            .build()) {
                admin.admin()
                        .createTable(TableSpec.named(TABLE).port("kv").hash(4).replicas(2));
                admin.admin().changeGrant(new RoleGrant("ann", Role.WRITER, new TablePattern(TABLE)), false);
                await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> put(ann, "first", "v"));
                AtomicBoolean stop = new AtomicBoolean();
                List<CompletableFuture<Integer>> load = List.of(load(ann, 1, stop), load(ann, 2, stop));
                Instant end = now().plus(RENEWING);
                awaitAll(admin, "renewals", status -> status.reloads() >= RENEWALS && !now().isBefore(end));
                for (int number = 1; number <= 3; number++) {
                    replaceWholeAuthority(admin, owners, number);
                }
                stop.set(true);
                for (CompletableFuture<Integer> worker : load) {
                    assertThat(worker.join()).isPositive();
                }
                assertThat(admin.admin().certificates())
                        .allMatch(one -> one.status().orElseThrow().failures() == 0);
                revoke(admin, ann);
                refuseModeOpen(cluster);
            }
        }
    }

    /** The three steps of the manual: trust both, new certificates, trust only the new one. */
    private void replaceWholeAuthority(UniserveClient admin, List<String> owners, int number) throws IOException {
        Path folder = directory.resolve("authority-" + number);
        authority = CertificateAuthority.create(folder, CLUSTER, now());
        trust(owners, certificate(number - 1) + certificate(number));
        awaitAll(admin, "both trusted", status -> status.trusted().size() == 2);
        Path link = Files.createSymbolicLink(directory.resolve("link-" + number), folder);
        Files.move(link, directory.resolve("authority"), StandardCopyOption.ATOMIC_MOVE);
        issue("admin", true);
        String ofNext = certificate(number).strip();
        await("ann's certificate is of the next authority")
                .atMost(PATIENCE)
                .until(() -> Files.readString(file("ann", ".pem")).contains(ofNext));
        String newest = newest(admin);
        awaitAll(admin, "new certificates", status -> status.authority().equals(newest));
        assertThat(CertificatePrinter.step(admin.admin().certificates())).contains("step 3 of 3, 0 of 3");
        trust(owners, certificate(number));
        awaitAll(admin, "the new one trusted", status -> status.trusted().size() == 1);
        assertThat(CertificatePrinter.step(admin.admin().certificates())).contains("the only one");
    }

    private static String newest(UniserveClient admin) {
        return admin.admin().certificates().stream()
                .flatMap(process -> process.status().orElseThrow().trusted().stream())
                .max((a, b) -> Long.compare(a.beginMillis(), b.beginMillis()))
                .orElseThrow()
                .fingerprint();
    }

    private static void revoke(UniserveClient admin, UniserveClient ann) {
        admin.admin().changeRevocation(new Revocation("user/ann"), false);
        await().atMost(PATIENCE).until(() -> isRefused(ann));
        admin.admin().changeRevocation(new Revocation("user/ann"), true);
        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> put(ann, "again", "v"));
        assertThat(admin.admin().allGrants().revocations()).isEmpty();
        assertThat(get(admin, "again")).isEqualTo("v");
    }

    /** A server in mode open would serve rows without a right, so it ends. */
    private void refuseModeOpen(ProcessCluster cluster) throws IOException {
        issue("server-3", false);
        trust(List.of("server-3"), certificate(3));
        Map<String, String> settings = settings("server-3");
        settings.put("security.mode", "open");
        cluster.launchServer("server-3", settings);
        DaemonProcess server = cluster.daemon("server-3");
        await("the end of server-3").atMost(PATIENCE).until(() -> !server.isAlive());
        assertThat(server.awaitExit()).isNotEqualTo(ExitCode.OK);
        assertThat(server.tail()).contains("is in mode open", "security.mode = closed");
    }

    private static boolean isRefused(UniserveClient client) {
        try {
            put(client, "refused", "v");
            return false;
        } catch (UniserveException e) {
            return e.getMessage().contains("revoked");
        }
    }
}
