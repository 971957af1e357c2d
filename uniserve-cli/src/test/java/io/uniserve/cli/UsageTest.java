package io.uniserve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ExitCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Usage errors are reported in one line, before a connection to a cluster. */
class UsageTest {
    private final TestingConsole uniserve = TestingConsole.alone();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "tabel list",
                "table",
                "table create",
                "table create t",
                "table create t --port",
                "table create t --engine kv --actors many",
                "table create t --engine kv --actors 4 --range-bounds 1,2",
                "table create t --engine kv --range-bounds 1,x",
                "table create t --engine kv --level strong",
                "table create t --engine kv --on-loss panic",
                "table create t --engine kv --durability eternal",
                "table create t --engine kv -O novalue",
                "table create t --engine kv --rf two",
                "table list --unknown",
                "table drop",
                "query t",
                "query t count --deadline -5s",
                "query t count --deadline 0s",
                "query t count --deadline 5",
                "query t count --deadline 9223372036854775808ms",
                "query t count --deadline 2000m",
                "load t",
                "load t -",
                "load t - --format yaml",
                "load t f.csv --batch 0",
                "load t f.csv --batch -1",
                "load t f.csv --batch 1000000000",
                "load t f.csv --ack all",
                "load t f.csv --rejects-max -1",
                "status --watch often",
                "status -o yaml",
                "status -b",
            })
    void oneLineAndExitCode2(String words) {
        Run run = uniserve.run(words.isEmpty() ? new String[0] : words.split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err()).startsWith("uniserve: USAGE: ").contains("--help");
    }

    @Test
    void aMisspelledCommandGetsASuggestion() {
        assertThat(uniserve.run("tabel").err()).contains("did you mean table");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "localhost:", ":7070", "localhost:0", "localhost:65536", "localhost:x", "a:1,b"})
    void badBootstrapAddressesAreRefusedByName(String address) {
        Run run = uniserve.run("table", "list", "-b", address);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).startsWith("uniserve: INVALID_ARGUMENT: address ").contains("HOST:PORT");
    }

    static List<String> allCommands() {
        List<String> names = new ArrayList<>();
        Console console = new Console(System.in, System.out, System.err, false);
        CommandLine root =
                Main.runner(console, bootstrap -> new TestingClusterClient()).commandLine();
        collect("", root, names);
        return names;
    }

    private static void collect(String path, CommandLine command, List<String> names) {
        names.add(path);
        command.getSubcommands().forEach((name, sub) -> collect((path + " " + name).strip(), sub, names));
    }

    @ParameterizedTest
    @MethodSource("allCommands")
    void everyCommandHasHelpWithExamplesAndExitCodes(String path) {
        Run run = uniserve.run((path + " --help").strip().split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .startsWith("Usage: uniserve " + path)
                .contains("--bootstrap", "--output", "Exit codes:", "Examples:", ("uniserve " + path).strip());
        assertThat(run.lines()).allMatch(line -> line.length() <= 130);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "table --version", "status -V"})
    void theVersionNamesCommitAndJava(String words) {
        Run run = uniserve.run(words.split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.out()).matches("uniserve \\S+ \\(commit \\S+\\), Java 1?[0-9].*\\R");
    }
}
