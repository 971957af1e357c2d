package io.uniserve.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.Main;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.runtime.audit.AuditEvent;
import io.uniserve.runtime.audit.AuditEvent.Kind;
import io.uniserve.runtime.audit.AuditEvent.Outcome;
import io.uniserve.runtime.audit.AuditLog;
import io.uniserve.runtime.audit.AuditOptions;
import io.uniserve.runtime.time.SystemClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditCommandTest {
    private static final String HOSTILE = "x\n2 \u001b[31m\u2028\u202e\u009b \"\\ \ud83d\ude00\u00e9";

    @TempDir
    Path temporary;

    private final TestingConsole uniserve = TestingConsole.alone();

    private AuditLog open() {
        return AuditLog.open(AuditOptions.of(temporary.resolve("audit"), "s1"), SystemClock.INSTANCE);
    }

    private static AuditEvent event(Kind kind, String principal, String action, Outcome outcome) {
        return new AuditEvent(kind, principal, "10.0.0.9:5", action, "speeches", outcome, "");
    }

    private String log() {
        try (AuditLog log = open()) {
            log.write(event(Kind.CHANGE, "ann", "CreateTable", Outcome.OK));
            log.write(event(Kind.REFUSAL, "bob", "DropTable", Outcome.REFUSED));
            log.write(event(Kind.LOGIN, HOSTILE, "Connect", Outcome.FAILED));
            log.write(event(Kind.CHANGE, "ann", "DropTable", Outcome.FAILED));
        }
        return temporary.resolve("audit").toString();
    }

    private static Path file(String directory) {
        return Path.of(directory, "audit-00000000000000000001.jsonl");
    }

    @Test
    void anIntactLogIsVerified() throws IOException {
        String directory = log();
        Run text = uniserve.run("audit", "verify", directory);
        assertThat(text.exit()).isEqualTo(ExitCode.OK);
        assertThat(text.lines()).hasSize(3);
        assertThat(text.lines().get(0))
                .startsWith("1 file, 4 valid lines, from line 1 at 2")
                .contains("Z to line 4 at 2");
        assertThat(text.lines().get(2)).isEqualTo("the audit log is intact");
        Run json = uniserve.run("audit", "verify", directory, "-o", "json");
        assertThat(json.exit()).isEqualTo(ExitCode.OK);
        JsonNode answer = new ObjectMapper().readTree(json.out());
        assertThat(answer.get("intact").asBoolean()).isTrue();
        assertThat(answer.get("lines").asInt()).isEqualTo(4);
        assertThat(answer.get("fault").isNull()).isTrue();
        assertThat(text.lines().get(1))
                .isEqualTo("last hash: " + answer.get("last").get("hash").asText());
        assertThat(uniserve.run("audit", "verify", file(directory).toString()).exit())
                .isEqualTo(ExitCode.OK);
    }

    @Test
    void aChangedLogFailsAndATornEndDoesNot() throws IOException {
        String directory = log();
        String whole = Files.readString(file(directory));
        Files.writeString(file(directory), whole.replace("bob", "ann"));
        Run run = uniserve.run("audit", "verify", directory);
        assertThat(run.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(run.out())
                .contains("changed line: audit-00000000000000000001.jsonl line 2: the line does not have the hash")
                .contains("the audit log is NOT intact");
        Run json = uniserve.run("audit", "verify", directory, "-o", "json");
        assertThat(json.exit()).isEqualTo(ExitCode.NOT_PASSED);
        JsonNode fault = new ObjectMapper().readTree(json.out()).get("fault");
        assertThat(fault.get("kind").asText()).isEqualTo("changed_line");
        assertThat(fault.get("line").asInt()).isEqualTo(2);
        Run tail = uniserve.run("audit", "tail", directory);
        assertThat(tail.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(tail.lines()).hasSize(3);
        assertThat(tail.err()).contains("line 2 does not have the hash");

        Files.writeString(file(directory), whole.substring(0, whole.length() - 9));
        Run torn = uniserve.run("audit", "verify", directory);
        assertThat(torn.exit()).isEqualTo(ExitCode.OK);
        assertThat(torn.out()).contains("torn end: ").contains("3 valid lines").contains("is intact");
    }

    @Test
    void noLogIsRefused() {
        for (String command : List.of("verify", "tail")) {
            Run run = uniserve.run("audit", command, temporary.toString());
            assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
            assertThat(run.err()).contains("INVALID_ARGUMENT").contains("no files audit-*.jsonl");
        }
        assertThat(uniserve.run("audit", "verify").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(uniserve.run("audit", "tail", "x", "-n", "-1").exit()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void tailFiltersAndShowsHostileTextsInQuotes() throws IOException {
        String directory = log();
        List<String> all = uniserve.run("audit", "tail", directory).lines();
        assertThat(all).hasSize(4);
        assertThat(all.get(0)).matches("1 \\S+Z s1 CHANGE OK ann 10.0.0.9:5 CreateTable speeches -");
        assertThat(all.get(2))
                .endsWith("s1 LOGIN FAILED \"x\\u{a}2 \\u{1b}[31m\\u{2028}\\u{202e}\\u{9b} \\\"\\\\ \\u{1f600}\u00e9\""
                        + " 10.0.0.9:5 Connect speeches -");
        assertThat(uniserve.run("audit", "tail", directory, "-n", "1").lines()).containsExactly(all.get(3));
        assertThat(uniserve.run("audit", "tail", directory, "-n", "0").lines()).isEmpty();
        assertThat(uniserve.run("audit", "tail", directory, "--refused").lines())
                .containsExactly(all.get(1));
        assertThat(uniserve.run("audit", "tail", directory, "--action", "DropTable", "--principal", "ann")
                        .lines())
                .containsExactly(all.get(3));
        Run json = uniserve.run("audit", "tail", directory, "--principal", HOSTILE, "-o", "json");
        assertThat(json.out()).matches("[ -~]+\\R");
        assertThat(new ObjectMapper().readTree(json.out()).get("principal").asText())
                .isEqualTo(HOSTILE);
        assertThat(json.out().strip())
                .isEqualTo(Files.readAllLines(file(directory)).get(2));
    }

    @Test
    void wordsHaveOneMeaning() {
        assertThat(AuditTailCommand.word("-")).isEqualTo("\"-\"");
        assertThat(AuditTailCommand.word("\"a\"")).isEqualTo("\"\\\"a\\\"\"");
        assertThat(AuditTailCommand.word("a b")).isEqualTo("\"a b\"");
        assertThat(AuditTailCommand.word("uniserve://main/user/ann")).isEqualTo("uniserve://main/user/ann");
    }

    @Test
    void followShowsNewLines() throws InterruptedException {
        String directory = log();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = new Console(
                new ByteArrayInputStream(new byte[0]),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
                false);
        Thread following = new Thread(() -> Main.run(
                console,
                bootstrap -> {
                    throw new AssertionError("asked the cluster at " + bootstrap);
                },
                "audit",
                "tail",
                directory,
                "-n",
                "1",
                "--follow"));
        following.start();
        try {
            Awaitility.await().until(() -> out.toString(StandardCharsets.UTF_8).contains("4 "));
            try (AuditLog log = open()) {
                log.write(event(Kind.CHANGE, "eve", "CreateTable", Outcome.OK));
            }
            Awaitility.await().until(() -> out.toString(StandardCharsets.UTF_8).contains("eve"));
        } finally {
            following.interrupt();
            following.join();
        }
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(2);
    }
}
