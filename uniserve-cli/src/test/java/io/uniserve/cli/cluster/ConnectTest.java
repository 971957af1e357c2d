package io.uniserve.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.RunningCluster;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Commands against daemons that require a client certificate, given by options and by a configuration file. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConnectTest {
    private final TestingConsole uniserve = new TestingConsole(RemoteCluster::connect);
    private Path directory;
    private RunningCluster cluster;

    @BeforeAll
    void start(@TempDir Path place) throws Exception {
        directory = place;
        for (String name : List.of("daemon", "client", "stranger")) {
            PemFiles.make(place, name);
        }
        // Daemons trust each other and the client.
        Files.writeString(place.resolve("known.pem"), text("daemon.pem") + text("client.pem"));
        cluster = new RunningCluster(
                place,
                Map.of(
                        "uniserve.tls.enabled",
                        "true",
                        "uniserve.tls.certificate-file",
                        file("daemon.pem"),
                        "uniserve.tls.key-file",
                        file("daemon.key"),
                        "uniserve.tls.trust-file",
                        file("known.pem"),
                        "uniserve.tls.require-client-certificate",
                        "true"));
    }

    @AfterAll
    void stop() throws Exception {
        cluster.close();
    }

    private String text(String name) throws IOException {
        return Files.readString(directory.resolve(name));
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    private List<String> shown(String certificate, String trusted) {
        return List.of(
                "--tls-trust",
                file(trusted + ".pem"),
                "--tls-certificate",
                file(certificate + ".pem"),
                "--tls-key",
                file(certificate + ".key"));
    }

    private Run run(List<String> connection, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(connection);
        return uniserve.run(all.toArray(String[]::new));
    }

    private List<String> to(List<String> options) {
        List<String> all = new ArrayList<>(List.of("-b", cluster.bootstrap()));
        all.addAll(options);
        return all;
    }

    @Test
    void everyClientCommandSpeaksMutualTls() {
        List<String> known = to(shown("client", "daemon"));
        ok(run(known, "table", "create", "words", "--engine", "kv", "--actors", "4", "--rf", "2"));
        uniserve.input("{\"id\":\"a\"}\n{\"id\":\"b\"}\n");
        ok(run(known, "load", "words", "-", "--format", "jsonl"));
        assertThat(ok(run(known, "query", "words", "count")).out()).contains("{\"count\":2}");
        await("the cluster is well")
                .untilAsserted(() -> assertThat(ok(run(known, "status")).out()).contains("words"));
        assertThat(ok(run(known, "table", "list")).out()).contains("words");
        assertThat(ok(run(known, "table", "describe", "words")).out()).contains("words");
        ok(run(known, "table", "drop", "words"));
    }

    @Test
    void theConfigurationFileSaysItAll() throws IOException {
        Path config = Files.writeString(
                directory.resolve("client.conf"),
                "uniserve { client { bootstrap = [\"" + cluster.bootstrap().replace(",", "\", \"")
                        + "\"], connect-timeout = 20s }\n"
                        + "tls { enabled = true, trust-file = \"" + file("daemon.pem") + "\", certificate-file = \""
                        + file("client.pem") + "\", key-file = \"" + file("client.key") + "\" } }");
        List<String> configured = List.of("--config", config.toString());
        ok(run(configured, "table", "list"));
        // Options override the file: unused addresses, an untrusted certificate.
        Path quick = Files.writeString(
                directory.resolve("short.conf"), Files.readString(config).replace("= 20s", "= 500ms"));
        refused(run(List.of("--config", quick.toString(), "-b", "127.0.0.1:1"), "table", "list"));
        List<String> stranger = new ArrayList<>(List.of("--config", quick.toString()));
        stranger.addAll(shown("stranger", "daemon"));
        refused(run(stranger, "table", "list"));
    }

    @Test
    void othersAreRefused() throws IOException {
        Path quick = Files.writeString(directory.resolve("quick.conf"), "uniserve.client.connect-timeout = 500ms");
        List<List<String>> others = List.of(
                List.of(),
                List.of("--tls-trust", file("daemon.pem")),
                shown("stranger", "daemon"),
                shown("client", "stranger"));
        for (List<String> other : others) {
            List<String> connection = to(other);
            connection.addAll(List.of("--config", quick.toString()));
            refused(run(connection, "table", "list"));
        }
    }

    @Test
    void halfAnIdentityAndBadFilesAreTold() throws IOException {
        usage(run(to(List.of("--tls-certificate", file("client.pem"))), "status"), "--tls-key");
        usage(run(to(List.of("--tls-key", file("client.key"))), "status"), "--tls-certificate");
        usage(
                run(to(List.of("--tls-certificate", "c", "--tls-key", "k")), "status"),
                "--tls-certificate needs --tls-trust");
        Run missing = run(to(List.of("--tls-trust", file("none.pem"))), "status");
        assertThat(missing.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(missing.err()).contains("INVALID_CONFIGURATION", "none.pem");
        Path typo = Files.writeString(directory.resolve("typo.conf"), "uniserve.client.bootstarp = [\"a:1\"]");
        Run wrong = run(List.of("--config", typo.toString()), "status");
        assertThat(wrong.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(wrong.err()).contains("INVALID_CONFIGURATION", "did you mean uniserve.client.bootstrap?");
    }

    private static Run ok(Run run) {
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        return run;
    }

    private static void refused(Run run) {
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(run.err()).contains("uniserve: UNAVAILABLE: ");
    }

    private static void usage(Run run, String named) {
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains("uniserve: USAGE: ", named);
    }
}
