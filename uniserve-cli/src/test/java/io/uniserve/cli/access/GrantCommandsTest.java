package io.uniserve.cli.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrantCommandsTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @BeforeEach
    void asAdmin() {
        cluster.caller("admin");
    }

    private String out(String... arguments) {
        Run run = uniserve.run(arguments);
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        return run.out();
    }

    @Test
    void rulesAreGrantedListedAndRevoked() {
        assertThat(out("grant", "ann", "writer", "logs-*")).isEqualTo("granted ann writer logs-*\n");
        assertThat(out("grant", "eve", "operator", "-o", "json")).contains("\"role\":\"operator\"", "\"granted\":true");
        assertThat(out("grants").lines()).hasSize(3);
        assertThat(out("grants", "ann", "-o", "json"))
                .contains("{\"grants\":[", "\"tables\":\"logs-*\"")
                .doesNotContain("eve");
        assertThat(out("revoke", "ann", "writer", "logs-*")).isEqualTo("revoked ann writer logs-*\n");
        assertThat(out("grants", "ann").lines()).hasSize(1);
    }

    @Test
    void aRuleThatIsNotThereIsNotRevoked() {
        out("grant", "ann", "writer", "logs-*");
        Run one = uniserve.run("revoke", "ann", "writer", "logs-2026");
        assertThat(one.exit()).isEqualTo(ExitCode.of(ErrorCode.INVALID_ARGUMENT));
        assertThat(one.err()).contains("there is no rule ann writer logs-2026", "ann writer logs-*");
        assertThat(uniserve.run("revoke", "bob", "writer", "logs-*").err()).contains("user bob has none");
        assertThat(out("grants", "ann")).contains("logs-*");
    }

    @Test
    void revocationsOfNothingAndOfTheCallerAreRefused(@TempDir Path directory) {
        assertThat(uniserve.run("security", "revoke", "user/admin").err()).contains("is your own identity");
        assertThat(uniserve.run("security", "revoke", "user/bob", "--undo").err())
                .contains("user/bob is not revoked");
        assertThat(out("security", "revoke", "user/bob")).isEqualTo("user/bob is revoked\n");
        assertThat(out("security", "revoke", "user/bob", "--undo")).isEqualTo("user/bob is accepted again\n");
        Path authority = directory.resolve("authority");
        out("security", "init", authority.toString(), "--cluster", "main");
        Run ofAuthority = uniserve.run(
                "security",
                "revoke",
                "--certificate",
                authority.resolve("authority.pem").toString());
        assertThat(ofAuthority.err()).contains("certificate of an authority", "replace the authority");
    }

    @Test
    void canSaysYesOrNoWithItsExitCode() {
        out("grant", "ann", "reader", "logs");
        assertThat(uniserve.run("can", "ann", "read", "logs").exit()).isEqualTo(ExitCode.OK);
        Run no = uniserve.run("can", "ann", "write", "logs");
        assertThat(no.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(no.out()).isEqualTo("no\n");
        assertThat(uniserve.run("can", "ann", "operate").exit()).isEqualTo(ExitCode.NOT_PASSED);
        cluster.caller("");
        assertThat(uniserve.run("can", "ann", "read", "logs").err()).contains("security.mode = closed");
    }

    @Test
    void whoamiNamesTheUserAndItsRoles() {
        assertThat(out("whoami")).contains("user admin", "no role");
        out("grant", "admin", "reader", "*");
        assertThat(out("whoami")).contains("reader of *");
        cluster.caller("");
        assertThat(out("whoami")).contains("mode open");
    }

    @Test
    void limitsAreSetListedShownAndRemoved() {
        assertThat(out("limit", "reader", "concurrent-queries", "8"))
                .isEqualTo("limit of role reader: concurrent-queries = 8\n");
        assertThat(out("limit", "reader", "deadline-ms", "1500")).contains("deadline-ms = 1500");
        assertThat(out("limit", "reader", "result-bytes", "4096")).contains("result-bytes = 4096");
        assertThat(out("limit", "reader", "deadline-ms", "90s")).contains("deadline-ms = 90000");
        assertThat(out("limit", "reader", "result-bytes", "2GiB", "-o", "json"))
                .isEqualTo("{\"role\":\"reader\",\"limit\":\"result-bytes\",\"value\":2147483648}\n");
        assertThat(out("limit", "writer", "update-rows-per-second", "10000"))
                .contains("update-rows-per-second = 10000");
        assertThat(out("grants"))
                .contains(
                        "limit of role reader: deadline-ms = 90000", "result-bytes = 2147483648", "per-second = 10000");
        assertThat(out("grants", "-o", "json"))
                .contains("{\"role\":\"reader\",\"limit\":\"deadline-ms\",\"value\":90000}");
        out("grant", "admin", "reader", "*");
        assertThat(out("whoami"))
                .contains("concurrent-queries = 8", "deadline-ms = 90000")
                .doesNotContain("update-rows");
        assertThat(out("whoami", "-o", "json"))
                .contains("\"limits\":[{\"role\":\"reader\",\"limit\":\"concurrent-queries\",\"value\":8}");
        assertThat(out("limit", "reader", "concurrent-queries", "none"))
                .isEqualTo("limit of role reader: concurrent-queries = none\n");
        assertThat(out("limit", "reader", "answer-rows", "none", "-o", "json")).contains("\"value\":null");
        assertThat(out("whoami")).doesNotContain("queries");
    }

    @Test
    void malformedLimitsAreRefused() {
        for (String arguments : List.of(
                "reader concurrent-queries",
                "reader concurrent-queries 0",
                "reader concurrent-queries -1",
                "reader concurrent-queries 1.5",
                "reader concurrent-queries 8s",
                "reader concurrent-queries 99999999999999999999",
                "reader speed 1",
                "reader deadline-ms 30apples",
                "reader deadline-ms 30d",
                "reader deadline-ms 25h",
                "reader result-bytes 64m",
                "reader result-bytes 9999999999999GiB",
                "reader update-rows-per-second 1",
                "monitor concurrent-queries 1",
                "operator answer-rows 1",
                "owner concurrent-queries 1",
                "reader concurrent-queries NONE")) {
            Run run = uniserve.run(("limit " + arguments).split(" "));
            assertThat(run.exit()).as(arguments).isIn(ExitCode.USAGE, ExitCode.REFUSED);
            assertThat(run.out()).as(arguments).isEmpty();
        }
        assertThat(out("grants")).doesNotContain("limit");
        assertThat(uniserve.run("limit", "reader", "speed", "1").err())
                .contains("limit \"speed\" is unknown: use one of concurrent-queries, result-bytes, deadline-ms");
        assertThat(uniserve.run("limit", "reader", "deadline-ms", "30d").err())
                .contains(
                        "limit deadline-ms", "a number of milliseconds, or a duration such as 30s", "at most 86400000");
    }

    @Test
    void malformedRulesAreRefusedAndNothingIsAsked() {
        for (List<String> arguments : List.of(
                List.of("grant", "ann", "writer"),
                List.of("grant", "ann", "owner", "logs"),
                List.of("grant", "ann", "operator", "logs"),
                List.of("grant", "a b", "reader", "logs"),
                List.of("grant", "ann", "reader", "a*b"),
                List.of("can", "ann", "read"),
                List.of("can", "ann", "operate", "logs"),
                List.of("can", "ann", "fly"),
                List.of("grants", "../x"))) {
            assertThat(uniserve.run(arguments.toArray(String[]::new)).exit())
                    .as(arguments.toString())
                    .isIn(ExitCode.USAGE, ExitCode.REFUSED);
        }
        assertThat(cluster.changes()).isEmpty();
    }
}
