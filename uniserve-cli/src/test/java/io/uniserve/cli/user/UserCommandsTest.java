package io.uniserve.cli.user;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.ConnectOptions;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.access.UserCredential;
import io.uniserve.runtime.security.ScramSha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserCommandsTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final List<ConnectOptions> connections = new ArrayList<>();
    private final TestingConsole uniserve = new TestingConsole(options -> {
        connections.add(options);
        return cluster;
    });

    @TempDir
    private Path directory;

    private String password;

    @BeforeEach
    void writePassword() throws IOException {
        cluster.caller("admin");
        password = file("password", "p\u00E4ssword\n");
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private String out(String... arguments) {
        Run run = uniserve.run(arguments);
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        return run.out();
    }

    private void refused(int exit, String text, String... arguments) {
        Run run = uniserve.run(arguments);
        assertThat(run.err()).contains(text);
        assertThat(run.exit()).isEqualTo(exit);
        assertThat(cluster.credentials).isEmpty();
    }

    @Test
    void usersAreAddedListedChangedAndRemoved() throws IOException {
        assertThat(out("user", "add", "ann", "--new-password-file", password, "--iterations", "5000"))
                .isEqualTo("added user ann\n");
        UserCredential first = Objects.requireNonNull(cluster.credentials.get("ann"));
        byte[] salted = ScramSha256.saltedPassword(
                "p\u00E4ssword".toCharArray(), first.salt().toArray(), 5_000);
        assertThat(first)
                .isEqualTo(ScramSha256.credential("ann", salted, first.salt().toArray(), 5_000));
        assertThat(out("user", "passwd", "ann", "--new-password-file", file("next", "password2")))
                .isEqualTo("changed user ann\n");
        assertThat(out("user", "list", "-o", "json")).contains("\"user\":\"ann\"", "\"iterations\":100000");
        assertThat(out("user", "list")).contains("USER", "ITERATIONS", "ann", "100000");
        out("grant", "ann", "reader", "logs-*");
        Run removed = uniserve.run("user", "remove", "ann");
        assertThat(removed.out()).isEqualTo("removed user ann\n");
        assertThat(removed.err())
                .contains("role ann reader logs-* stays: take it by uniserve revoke ann reader logs-*");
        assertThat(cluster.credentials).isEmpty();
    }

    @Test
    void passwdWithoutANameIsOfTheCaller() {
        cluster.caller("bob");
        assertThat(out("user", "passwd", "--new-password-file", password, "-o", "json"))
                .contains("\"user\":\"bob\"", "\"done\":\"changed\"");
        cluster.credentials.clear();
        cluster.caller("");
        refused(ExitCode.REFUSED, "the caller is no user", "user", "passwd", "--new-password-file", password);
    }

    @Test
    void wrongInputIsRefusedBeforeAConnection() throws IOException {
        refused(ExitCode.USAGE, "give --new-password-file FILE", "user", "add", "ann");
        refused(ExitCode.REFUSED, "name of a user", "user", "add", "a/b", "--new-password-file", password);
        refused(
                ExitCode.REFUSED,
                "use at least 8",
                "user",
                "add",
                "ann",
                "--new-password-file",
                file("short", "1234567"));
        refused(
                ExitCode.USAGE,
                "--iterations is 4095: use 4096 to",
                "user",
                "add",
                "ann",
                "--iterations",
                "4095",
                "--new-password-file",
                password);
        refused(ExitCode.REFUSED, "--new-password-file: file", "user", "add", "ann", "--new-password-file", "/none");
        assertThat(connections).isEmpty();
    }

    @Test
    void aCommandLogsInByUserAndPasswordFile() throws IOException {
        out("whoami", "--user", "ann", "--password-file", password, "--tls-trust", "trust.pem");
        assertThat(connections.get(0).user().orElseThrow()).hasToString("user ann");
        refused(ExitCode.USAGE, "--password-file needs --user", "whoami", "--password-file", password);
        refused(ExitCode.USAGE, "give --password-file FILE, or set UNISERVE_PASSWORD", "whoami", "--user", "ann");
        out("whoami");
        assertThat(connections.get(1).user()).isEmpty();
        String config = file("client.conf", "uniserve.client { user = bob, password-file = \"" + password + "\" }");
        out("whoami", "--config", config);
        assertThat(connections.get(2).user()).as("the client reads it itself").isEmpty();
        out("whoami", "--config", config, "--password-file", password);
        assertThat(connections.get(3).user().orElseThrow()).hasToString("user bob");
    }
}
