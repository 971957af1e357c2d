package io.uniserve.cli.bench.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Small {@code bench failures} with real processes. It checks that nothing is lost, stale or wrong, and that the figures can be recomputed
 * from the raw output, not the duration of outages.
 */
class FailuresBenchIT {
    private static final String QUICK = " --brief -S zookeeper.session-timeout=2s -S coordinator.loss-grace=1s --raw ";

    private static final boolean FULL = Boolean.getBoolean("uniserve.test.full-outages");

    @TempDir
    private Path directory;

    @Test
    void keyValueTablesLoseNothingAndTheFiguresAreThoseOfTheRawOutput() throws IOException {
        Path raw = directory.resolve("raw.tsv");
        String only = FULL ? "primary,coordinator,stopped,cluster,disk" : "primary,stopped,disk";
        Run run = run("--only " + only + " --kills 1 --rows 100 --stop 1" + QUICK + raw);
        Map<String, JsonNode> figures = figures(run);
        assertThat(figures.keySet())
                .filteredOn(name -> name.matches(".*(failed|wrong|lost|stale|never sent).*"))
                .hasSize(FULL ? 17 : 11)
                .allSatisfy(name -> assertThat(figure(figures, name).path("met").asBoolean())
                        .as(name + " in\n" + run.out())
                        .isTrue());
        List<String[]> lines = lines(raw);
        assertThat(figure(figures, "primary: gap of updates, p99 s")
                        .path("ours")
                        .asDouble())
                .isCloseTo(longest(lines, "gap"), within(1e-9));
        if (FULL) {
            assertThat(figure(figures, "coordinator: the other has made a table, longest s")
                            .path("ours")
                            .asDouble())
                    .isCloseTo(longest(lines, "takeover"), within(1e-9));
        }
        assertThat(figure(figures, "disk: all actors answer again, longest s")
                        .path("ours")
                        .asDouble())
                .isCloseTo(longest(lines, "restored"), within(1e-9));
        assertThat(lines).filteredOn(line -> line[0].equals("row")).hasSize((FULL ? 5 : 3) * 100);
        assertThat(lines).filteredOn(line -> line[0].equals("direct")).hasSizeGreaterThan(100);
    }

    @Test
    void queriesOfTwoCopiesAllSucceedAndAPlotIsWritten() throws IOException {
        Path raw = directory.resolve("raw.tsv");
        Path svg = directory.resolve("plot.svg");
        Run run = run("--only queries --minutes 0.1 --documents 200 --rf 1,2 --svg " + svg + QUICK + raw);
        Map<String, JsonNode> figures = figures(run);
        for (String name : List.of("queries, rf 1: wrong", "queries, rf 2: wrong", "queries, rf 2: failed")) {
            assertThat(figure(figures, name).path("met").asBoolean())
                    .as(name + " in\n" + run.out())
                    .isTrue();
        }
        assertThat(figures).containsKey("queries, rf 1: last failure after the kill, s");
        List<String[]> lines = lines(raw);
        assertThat(lines).filteredOn(line -> line[0].equals("query")).hasSize(2 * 50);
        assertThat(lines)
                .filteredOn(line -> line[0].equals("query") && line[1].equals("2"))
                .allMatch(line -> line[4].equals("right"));
        assertThat(Files.readString(svg)).contains("SIGKILL of a server", "rf 1: queries answered", "rf 2: latency");
    }

    private static Run run(String arguments) {
        return TestingConsole.alone().run(("bench failures " + arguments).split(" "));
    }

    private static Map<String, JsonNode> figures(Run run) throws IOException {
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.path("settings").path("zookeeper.session-timeout").asText())
                .isEqualTo("2s");
        Map<String, JsonNode> figures = new TreeMap<>();
        result.path("figures").forEach(figure -> figures.put(figure.path("name").asText(), figure));
        return figures;
    }

    private static JsonNode figure(Map<String, JsonNode> figures, String name) {
        return Objects.requireNonNull(figures.get(name), name);
    }

    private static List<String[]> lines(Path raw) throws IOException {
        try (Stream<String> lines = Files.lines(raw)) {
            return lines.map(line -> line.split("\t")).toList();
        }
    }

    /** Returns the longest time in seconds; the last field of such a line is in nanoseconds. */
    private static double longest(List<String[]> lines, String kind) {
        return lines.stream()
                .filter(line -> line[0].equals(kind))
                .map(line -> Arrays.asList(line).get(line.length - 1))
                .mapToDouble(last -> Long.parseLong(last) / 1e9)
                .max()
                .orElseThrow();
    }
}
