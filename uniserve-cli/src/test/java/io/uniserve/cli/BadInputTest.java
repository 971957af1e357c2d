package io.uniserve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bad input through the command to real daemons: reported by error code; the cluster's state does not change. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTest {
    private final TestingConsole uniserve = new TestingConsole(RemoteCluster::connect);

    @TempDir
    static Path directory;

    private RunningCluster cluster;

    @BeforeAll
    void start() throws IOException {
        cluster = new RunningCluster(directory);
        assertThat(run("table create words --engine kv --actors 4 --rf 2").exit())
                .isZero();
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            rows.append("{\"id\":\"k").append(i).append("\",\"n\":").append(i).append("}\n");
        }
        Run load = run("load words " + file("good.jsonl", rows.toString()));
        assertThat(load.out()).startsWith("50 rows loaded");
    }

    @AfterAll
    void stop() throws Exception {
        cluster.close();
    }

    private Run run(String words) {
        return run(List.of(words.split(" ")));
    }

    private Run run(List<String> words) {
        List<String> all = new ArrayList<>(List.of("-b", cluster.bootstrap()));
        all.addAll(words);
        return uniserve.run(all.toArray(String[]::new));
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private String state() {
        return run("table list -o json").out()
                + run("table describe words -o json").out()
                + run(List.of("query", "words", "scan 1000")).out()
                + run(List.of("query", "words", "sum n")).out();
    }

    private Run refused(int exit, String code, List<String> words) {
        String before = state();
        assertThat(before).contains("\"k49\"", "{\"sum\":1225}");
        Run run = run(words);
        assertThat(run.err()).contains("uniserve: " + code + ": ");
        assertThat(run.exit()).isEqualTo(exit);
        assertThat(state()).isEqualTo(before);
        return run;
    }

    @ParameterizedTest
    @CsvSource({
        "table create words --engine kv --rf 1,TABLE_EXISTS",
        "table create more --engine kv --rf 3,INVALID_ARGUMENT",
        "table create more --engine kv --rf 0,INVALID_ARGUMENT",
        "table create more --engine kv --rf -1,INVALID_ARGUMENT",
        "table create more --engine kv --rf 1000000000,INVALID_ARGUMENT",
        "table create more --engine kv --rf 1 --min-isr 2,INVALID_ARGUMENT",
        "table create more --engine kv --rf 1 --min-isr 0,INVALID_ARGUMENT",
        "table create more --engine kv --actors 0,INVALID_ARGUMENT",
        "table create more --engine kv --actors -1,INVALID_ARGUMENT",
        "table create more --engine kv --actors 1000000000,INVALID_ARGUMENT",
        "table create more --engine mysql,UNKNOWN_PORT",
        "table create more --port ../kv,UNKNOWN_PORT",
        "table create more --engine kv --level serializable --on-loss restore-actor,INVALID_ARGUMENT",
        "table create more --engine kv --level fully-serializable --rf 3,INVALID_ARGUMENT",
        "table create more --engine kv --on-loss restore-table,INVALID_ARGUMENT",
        "table create more --engine kv --durability remote,UNSUPPORTED",
        "table create more --engine kv -O no=such,INVALID_ARGUMENT",
        "table create ../more --engine kv,INVALID_ARGUMENT",
        "table create / --engine kv,INVALID_ARGUMENT",
        "table describe nothing,TABLE_NOT_FOUND",
        "table drop nothing,TABLE_NOT_FOUND",
        "query nothing count,TABLE_NOT_FOUND",
        "query words explode,INVALID_ARGUMENT",
    })
    void refusedRequests(String words, String code) {
        refused(ExitCode.REFUSED, code, List.of(words.split(" ")));
    }

    @Test
    void namesAndKeysThatAreEmptyHugeOrBinary() {
        for (String name : List.of("", "x".repeat(100_000), "a\0b")) {
            refused(ExitCode.REFUSED, "INVALID_ARGUMENT", List.of("table", "create", name, "--engine", "kv"));
            refused(
                    ExitCode.REFUSED,
                    "INVALID_ARGUMENT",
                    List.of("table", "create", "more", "--engine", "kv", "--key", name));
        }
    }

    @Test
    void aTableJustDroppedIsUnknown() throws IOException {
        assertThat(run("table create gone --engine kv --actors 2").exit()).isZero();
        String rows = file("gone.jsonl", "{\"id\":\"a\"}\n");
        assertThat(run("load gone " + rows).exit()).isZero();
        assertThat(run("table drop gone").exit()).isZero();
        refused(ExitCode.REFUSED, "TABLE_NOT_FOUND", List.of("query", "gone", "count"));
        refused(ExitCode.REFUSED, "TABLE_NOT_FOUND", List.of("load", "gone", rows));
        refused(ExitCode.REFUSED, "TABLE_NOT_FOUND", List.of("table", "drop", "gone"));
    }

    @Test
    void rowsThatAreNoRows() throws IOException {
        String deep = "[".repeat(40) + "]".repeat(40);
        String rows = String.join(
                "\n",
                "{\"id\":",
                "{\"n\":1}",
                "{\"id\":null}",
                "{\"id\":true}",
                "{\"id\":[1]}",
                "{\"id\":1.5}",
                "{\"id\":\"" + "k".repeat(10_000) + "\"}",
                "{\"id\":\"deep\",\"x\":" + deep + "}",
                "{\"id\":\"wide\",\"x\":\"" + "y".repeat(9 << 20) + "\"}");
        Run run = refused(ExitCode.REFUSED, "INVALID_ROW", List.of("load", "words", file("bad.jsonl", rows)));
        assertThat(run.out()).startsWith("0 rows loaded").contains("9 rejected, 0 not acknowledged");
        for (int line = 1; line <= 9; line++) {
            assertThat(run.err()).contains("bad.jsonl line " + line + ": ");
        }
    }

    @Test
    void updatesThatDoNotExist() throws IOException {
        String rows = file("one.jsonl", "{\"id\":\"new\"}\n");
        for (String function : List.of("kv.put@9", "no.such@1", "", "../x", "\0")) {
            Run run = run(List.of("load", "words", rows, "--update", function));
            assertThat(run.exit()).as(function).isEqualTo(ExitCode.REFUSED);
        }
        assertThat(run(List.of("query", "words", "get new")).out().strip()).isEqualTo("null");
    }

    @Test
    void negativeAndExtremeKeysAreKeys() throws IOException {
        assertThat(run("table create numbers --engine kv --range-bounds -5,5 --rf 1")
                        .exit())
                .isZero();
        String rows = file(
                "n.jsonl",
                "{\"id\":-1}\n{\"id\":-9223372036854775808}\n{\"id\":9223372036854775807}\n{\"id\":\"x\"}\n");
        Run run = run("load numbers " + rows);
        assertThat(run.out()).startsWith("3 rows loaded").contains("1 rejected");
        assertThat(run("query numbers count").out()).contains("{\"count\":3}");
        assertThat(run("table drop numbers").exit()).isZero();
    }

    @Test
    void aQueryThatIsTooLong() {
        refused(ExitCode.REFUSED, "INVALID_ARGUMENT", List.of("query", "words", "get " + "x".repeat(300_000)));
    }

    @Test
    void nobodyAtTheAddress() {
        Run run = uniserve.run("status", "-b", "127.0.0.1:1");
        assertThat(run.exit()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(run.err()).startsWith("uniserve: UNAVAILABLE: ").contains("127.0.0.1:1");
        assertThat(run.err().lines()).hasSize(2).last().asString().startsWith("  tried: UNAVAILABLE 127.0.0.1:1: ");
    }

    @Test
    void statusOfTheRealCluster() {
        await("the cluster is well").untilAsserted(() -> {
            Run run = run("status --actors");
            assertThat(run.exit()).as(run.out()).isZero();
            assertThat(run.out()).contains("cluster cli", "words", " kv ", "primary", "in-sync");
            assertThat(run("status -o json").out()).contains("\"underReplicated\":0", "\"rows\":50");
        });
    }
}
