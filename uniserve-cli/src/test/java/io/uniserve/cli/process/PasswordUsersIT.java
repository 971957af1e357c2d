package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users with a password in a cluster of processes, from {@code user add} to {@code user remove}. */
class PasswordUsersIT {
    private static final String TABLE = "pairs";
    private static final Duration PATIENCE = SecuredProcessCluster.PATIENCE;

    @TempDir
    private Path directory;

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private static Path trust(SecuredProcessCluster cluster) {
        return cluster.tls("admin").trust().orElseThrow();
    }

    private static UniserveClient client(SecuredProcessCluster cluster, String user, String password) {
        return UniserveClient.builder()
                .bootstrap(cluster.processes().address("coordinator-1").toString())
                .connectTimeout(PATIENCE)
                .deadline(PATIENCE)
                .tls(trust(cluster))
                .user(user, password.toCharArray())
                .build();
    }

    private static void put(UniserveClient client, String key) {
        client.table(TABLE)
                .update("kv.put@1", Document.CODEC, List.of(new Document("key", Map.of("key", key))))
                .run()
                .orThrow();
    }

    private static List<Document> get(UniserveClient client, String key) {
        return client.table(TABLE)
                .key(key)
                .retrieve(
                        new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC)),
                        key,
                        values -> values.get(0));
    }

    private static ErrorCode refused(ThrowingCallable call) {
        Throwable thrown = ThrowableAssert.catchThrowable(call);
        assertThat(thrown).isInstanceOf(UniserveException.class);
        return ((UniserveException) thrown).code();
    }

    @Test
    void aUserWithAPasswordWorksUntilItIsRemoved() throws Exception {
        try (SecuredProcessCluster cluster = new SecuredProcessCluster(directory, "kv")) {
            cluster.client("admin")
                    .admin()
                    .createTable(TableSpec.named(TABLE).port("kv").hash(4).replicas(2));
            asAdmin(cluster, "user", "add", "ann", "--new-password-file", file("first", "first password"));
            asAdmin(cluster, "grant", "ann", "writer", TABLE);
            try (UniserveClient ann = connected(cluster, "ann", "first password")) {
                await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> put(ann, "a"));
                assertThat(ann.admin().grants("").user()).isEqualTo("ann");
                assertThat(refused(() -> ann.admin().dropTable(TABLE))).isEqualTo(ErrorCode.UNAUTHORIZED);
                restartsAreNotSeen(cluster, ann);

                command(
                        cluster,
                        "user",
                        "passwd",
                        "--new-password-file",
                        file("second", "second password"),
                        "--user",
                        "ann",
                        "--password-file",
                        file("first", "first password"),
                        "--tls-trust",
                        trust(cluster).toString());
                await().atMost(PATIENCE)
                        .untilAsserted(
                                () -> assertThat(refused(() -> get(ann, "a"))).isEqualTo(ErrorCode.UNAUTHORIZED));
                assertThat(refused(() -> put(ann, "b"))).isEqualTo(ErrorCode.UNAUTHORIZED);
            }
            assertThat(refused(() -> client(cluster, "ann", "first password").close()))
                    .isEqualTo(ErrorCode.UNAUTHORIZED);
            try (UniserveClient ann = connected(cluster, "ann", "second password")) {
                assertThat(get(ann, "a")).hasSize(1);
                asAdmin(cluster, "user", "remove", "ann");
                await().atMost(PATIENCE)
                        .untilAsserted(
                                () -> assertThat(refused(() -> put(ann, "b"))).isEqualTo(ErrorCode.UNAUTHORIZED));
            }
        }
    }

    /** No request fails while each process restarts: its tokens end, and the client logs in again. */
    private static void restartsAreNotSeen(SecuredProcessCluster cluster, UniserveClient ann) {
        int count = 0;
        for (String server : List.of("server-1", "server-2")) {
            cluster.processes().daemon(server).terminate();
            put(ann, "k" + count++);
            cluster.processes().daemon(server).awaitExit();
            put(ann, "k" + count++);
            cluster.processes().startServer(server);
            for (int i = 0; i < 20; i++) {
                put(ann, "k" + count++);
                assertThat(get(ann, "a")).hasSize(1);
            }
        }
        assertThat(ann.admin().listTables()).hasSize(1);
    }

    /** A new user is known at each process within two seconds, not at the same time. */
    private static UniserveClient connected(SecuredProcessCluster cluster, String user, String password) {
        return await().atMost(PATIENCE).ignoreExceptions().until(() -> client(cluster, user, password), client -> true);
    }

    private static void asAdmin(SecuredProcessCluster cluster, String... arguments) {
        TlsFiles admin = cluster.tls("admin");
        String[] all = Arrays.copyOf(arguments, arguments.length + 6);
        System.arraycopy(
                new String[] {
                    "--tls-trust", trust(cluster).toString(),
                    "--tls-certificate", admin.certificate().orElseThrow().toString(),
                    "--tls-key", admin.key().orElseThrow().toString()
                },
                0,
                all,
                arguments.length,
                6);
        command(cluster, all);
    }

    private static void command(SecuredProcessCluster cluster, String... arguments) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--bootstrap";
        all[arguments.length + 1] = cluster.processes().address("coordinator-1").toString();
        TestingConsole.Run run = new TestingConsole(RemoteCluster::connect).run(all);
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
    }
}
