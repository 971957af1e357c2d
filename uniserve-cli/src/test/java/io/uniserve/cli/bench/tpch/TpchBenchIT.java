package io.uniserve.cli.bench.tpch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Small {@code bench tpch} against one DuckDB. It checks that the answers are equal and that the result can be recomputed from the raw
 * output, not the speed.
 */
@Tag("full")
class TpchBenchIT {
    @TempDir
    Path directory;

    private static Run run(String words) {
        return TestingConsole.alone().run(words.split(" "));
    }

    @Test
    void answersAreThoseOfTheBareEngineAndFiguresThoseOfTheRawOutput() throws IOException {
        Path raw = directory.resolve("raw.tsv");
        Run run = run(
                "bench tpch --sf 0.01 --servers 2 --heap 256m --queries 1,3,6,10,14 --warmup 1 --settle 1 --operations 2"
                        + " --rounds 2 --raw " + raw);
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.path("different").asInt(-1)).as(run.out()).isZero();
        assertThat(result.path("compared").asInt()).as(run.out()).isEqualTo(5);
        assertThat(result.path("rows").path("lineitem").asInt()).isEqualTo(60_175);
        Map<String, Double> medians = medians(raw);
        assertThat(medians).hasSize(10);
        for (String query : List.of("Q1", "Q3", "Q6", "Q10", "Q14")) {
            JsonNode figure = figure(result, query + " vs bare: p50 ms");
            assertThat(figure.path("ours").asDouble())
                    .isCloseTo(Objects.requireNonNull(medians.get(query + "\tuniserve")), withPercentage(0.1));
            assertThat(figure.path("peer").asDouble())
                    .isCloseTo(Objects.requireNonNull(medians.get(query + "\tbare")), withPercentage(0.1));
            assertThat(figure.path("ratio").asDouble())
                    .isCloseTo(
                            Objects.requireNonNull(medians.get(query + "\tbare"))
                                    / Objects.requireNonNull(medians.get(query + "\tuniserve")),
                            withPercentage(0.1));
        }
    }

    /** Same as {@code bench tpch --sf 0.1 --check}, with a tenth of the rows. */
    @Test
    void allQueriesAreAnsweredAsByOneEngine() throws IOException {
        Run run = run("bench tpch --sf 0.01 --servers 2 --heap 256m --check");
        assertThat(run.exit()).as(run.out() + run.err()).isEqualTo(ExitCode.OK);
        List<String> lines = run.lines();
        assertThat(lines.subList(1, lines.size() - 1))
                .hasSize(22)
                .allSatisfy(line -> assertThat(line).matches("Q\\d+ +\\d+ +\\d+  equal"));
        JsonNode result = new ObjectMapper().readTree(lines.get(lines.size() - 1));
        assertThat(result.path("compared").asInt()).isEqualTo(22);
        assertThat(result.path("figures")).isEmpty();
    }

    /** Queries that MonetDB does not support have a reason, and no answer differs: docs/benchmarks/tpch.md has the list. */
    @Test
    void thoseThatMonetDbAnswersAreTheSame() throws IOException {
        Run run = run("bench tpch --sf 0.01 --servers 2 --heap 256m --check --engine monetdb");
        assertThat(run.exit()).as(run.out() + run.err()).isEqualTo(ExitCode.OK);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.path("different").asInt(-1)).isZero();
        assertThat(result.path("compared").asInt()).isEqualTo(11);
        assertThat(result.path("refused").fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("Q2", "Q4", "Q11", "Q13", "Q15", "Q16", "Q17", "Q18", "Q20", "Q21", "Q22");
    }

    private static JsonNode figure(JsonNode result, String name) {
        for (JsonNode figure : result.path("figures")) {
            if (figure.path("name").asText().equals(name)) {
                return figure;
            }
        }
        throw new AssertionError("no figure " + name + " in " + result);
    }

    /** Medians in ms by query and side, from lines {@code op scenario threads side round thread nanos}. */
    private static Map<String, Double> medians(Path raw) throws IOException {
        Map<String, List<Long>> all = new HashMap<>();
        for (String line : Files.readAllLines(raw)) {
            String[] parts = line.split("\t");
            if (parts[0].equals("op")) {
                all.computeIfAbsent(parts[1] + "\t" + parts[3], key -> new ArrayList<>())
                        .add(Long.valueOf(parts[6]));
            }
        }
        Map<String, Double> medians = new HashMap<>();
        all.forEach((key, nanos) ->
                medians.put(key, nanos.stream().sorted().toList().get((nanos.size() + 1) / 2 - 1) / 1e6));
        return medians;
    }

    @Test
    void badValuesAreRefusedBeforeAnythingIsDone() {
        for (String words : List.of(
                "--sf 0",
                "--sf NaN",
                "--servers 0",
                "--queries 1,x",
                "--heap 1",
                "--rounds 0",
                "--engine solr",
                "--sf 0.001 --check")) {
            Run run = run("bench tpch " + words);
            assertThat(run.exit()).as(words).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).as(words).contains(words.split(" ")[0].replace("--heap", "heap"));
        }
        assertThat(run("bench tpch --queries 99").err()).contains("there is no Q99");
    }
}
