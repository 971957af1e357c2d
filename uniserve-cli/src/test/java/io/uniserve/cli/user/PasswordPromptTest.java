package io.uniserve.cli.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.uniserve.cli.Main;
import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.ConnectOptions;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.cli.command.PasswordPrompt;
import io.uniserve.model.access.UserCredential;
import io.uniserve.runtime.security.ScramSha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class PasswordPromptTest {
    private static final Path SCRIPT = Path.of("/usr/bin/script");

    private final TestingClusterClient cluster = new TestingClusterClient();
    private final List<ConnectOptions> connections = new ArrayList<>();
    private final TestingConsole uniserve = new TestingConsole(options -> {
        connections.add(options);
        return cluster;
    });
    private final List<String> prompts = new ArrayList<>();
    private final Deque<String> lines = new ArrayDeque<>();

    @TempDir
    private Path directory;

    @BeforeEach
    void typeLines() {
        cluster.caller("admin");
        uniserve.passwords(text -> {
            prompts.add(text);
            return Optional.ofNullable(lines.poll()).map(String::toCharArray);
        });
    }

    @Test
    void theUsersPasswordIsAskedOnceAndUsed() {
        lines.add("correct horse");
        Run run = uniserve.run("whoami", "--user", "ann", "--tls-trust", "trust.pem");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(prompts).containsExactly("Password of user ann");
        assertThat(run.out() + run.err()).doesNotContain("correct horse");
        byte[] salt = new byte[16];
        assertThat(connections.get(0).user().orElseThrow().salted(salt, 4_096))
                .isEqualTo(ScramSha256.saltedPassword("correct horse".toCharArray(), salt, 4_096));
    }

    @Test
    void aFileIsUsedWithoutAPrompt() throws IOException {
        Path file = Files.writeString(directory.resolve("password"), "correct horse\n");
        Run run =
                uniserve.run("whoami", "--user", "ann", "--password-file", file.toString(), "--tls-trust", "trust.pem");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(prompts).isEmpty();
    }

    @Test
    void theEndOfInputIsAnErrorWithTheRemedy() {
        refused(
                ExitCode.USAGE,
                "user ann needs a password: give --password-file FILE, or set UNISERVE_PASSWORD",
                "whoami",
                "--user",
                "ann");
        assertThat(prompts).hasSize(1);
        lines.add("correct horse");
        refused(ExitCode.USAGE, "give --new-password-file FILE", "user", "add", "ann");
    }

    @Test
    void withoutATerminalThereIsAnErrorWithTheRemedy() {
        uniserve.passwords(PasswordPrompt.NONE);
        refused(ExitCode.USAGE, "give --password-file FILE, or set UNISERVE_PASSWORD", "whoami", "--user", "ann");
        refused(ExitCode.USAGE, "give --new-password-file FILE", "user", "add", "ann");
    }

    @Test
    void anEmptyPasswordIsRefusedBeforeAConnection() {
        lines.add("");
        refused(ExitCode.REFUSED, "the password has 0 characters: use 1 to", "whoami", "--user", "ann");
        lines.addAll(List.of("", ""));
        refused(ExitCode.REFUSED, "the password has 0 characters", "user", "add", "ann");
    }

    @Test
    void aNewPasswordIsAskedTwice() {
        lines.addAll(List.of("correct horse", "correct house"));
        refused(ExitCode.REFUSED, "the two passwords differ: type them again", "user", "add", "ann");
        assertThat(prompts).containsExactly("New password of user ann", "The same again");
        lines.addAll(List.of("correct horse", "correct horse"));
        Run run = uniserve.run("user", "add", "ann");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        UserCredential stored = Objects.requireNonNull(cluster.credentials.get("ann"));
        byte[] salt = stored.salt().toArray();
        byte[] salted = ScramSha256.saltedPassword("correct horse".toCharArray(), salt, stored.iterations());
        assertThat(stored).isEqualTo(ScramSha256.credential("ann", salted, salt, stored.iterations()));
    }

    private void refused(int exit, String text, String... arguments) {
        Run run = uniserve.run(arguments);
        assertThat(run.err()).contains(text).doesNotContain("correct");
        assertThat(run.exit()).isEqualTo(exit);
        assertThat(connections).isEmpty();
        assertThat(cluster.credentials).isEmpty();
    }

    @Test
    @Timeout(60)
    void aTerminalDoesNotShowThePassword() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(SCRIPT), "no terminal can be made: install script of util-linux");
        String command = "\"" + ProcessHandle.current().info().command().orElseThrow() + "\" -Duniserve.terminal=true "
                + Main.class.getName() + " whoami --user ann";
        ProcessBuilder builder = new ProcessBuilder(SCRIPT.toString(), "-qec", command, "/dev/null");
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().put("SHELL", "/bin/sh");
        builder.environment().remove("UNISERVE_PASSWORD");
        builder.environment().remove("UNISERVE_CONFIG");
        Process process = builder.redirectErrorStream(true).start();
        try (InputStream screen = process.getInputStream();
                OutputStream keys = process.getOutputStream()) {
            StringBuilder shown = new StringBuilder();
            while (shown.indexOf("Password of user ann: ") < 0) {
                int next = screen.read();
                assertThat(next).as(shown.toString()).isNotNegative();
                shown.append((char) next);
            }
            keys.write("correct horse\n".getBytes(StandardCharsets.UTF_8));
            keys.flush();
            String rest = new String(screen.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(rest).contains("TLS").doesNotContain("correct", "horse");
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }
}
