package io.uniserve.cli.bench.druid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.testkit.process.JavaLauncher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small {@code bench druid} with real processes. It checks answers, and that figures follow from the raw output, not the speed. */
@Tag("full")
class DruidBenchIT {
    private static final String SMALL = "bench druid --sf 0.002 --servers 2 --heap 256m ";

    @TempDir
    Path directory;

    @Test
    void countsAndSumsAreThoseOfTheRows() throws IOException {
        Run run = TestingConsole.alone().run((SMALL + "--peer none").split(" "));
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        JsonNode result = last(run);
        assertThat(result.path("compared").asInt()).isEqualTo(1);
        assertThat(result.path("different").asInt(-1)).isZero();
        assertThat(result.path("rows").asLong()).isGreaterThan(11_000);
        assertThat(result.path("chunks").asInt()).isBetween(80, 84);
    }

    @Test
    void answersAreThoseOfNativeDruid() throws IOException {
        assumeTrue(
                Files.isDirectory(JavaLauncher.ofThisProcess().home().resolve(Path.of("peers", "druid", "lib"))),
                "needs native Druid in the distribution: -Pdruid");
        Path raw = directory.resolve("raw.tsv");
        Run run = TestingConsole.alone()
                .run((SMALL + "--peer druid --part queries,hot,append,kill --clients 2 --operations 10 --seconds 0"
                                + " --rounds 2 --warmup 8 --settle 1 --quota 0 --bulk 1 --minutes 0.2 --rf 1,2 --raw "
                                + raw)
                        .split(" "));
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result = last(run);
        assertThat(result.path("different").asInt(-1)).as(run.out()).isZero();
        assertThat(result.path("compared").asInt()).isGreaterThan(90);
        Map<String, Double> rates = rates(raw);
        int checked = 0;
        for (JsonNode figure : result.path("figures")) {
            String name = figure.path("name").asText();
            if (name.endsWith("clients: queries/s")) {
                String scenario = name.replaceFirst(", \\d+ clients: .*", "");
                assertThat(figure.path("ours").asDouble())
                        .as(name)
                        .isCloseTo(rates.getOrDefault(scenario + "\tuniserve", Double.NaN), withPercentage(1));
                assertThat(figure.path("peer").asDouble())
                        .as(name)
                        .isCloseTo(rates.getOrDefault(scenario + "\tnative", Double.NaN), withPercentage(1));
                checked++;
            }
            if (name.endsWith(": wrong")) {
                assertThat(figure.path("ours").asInt(-1)).as(name).isZero();
            }
        }
        assertThat(checked).isEqualTo(7);
    }

    private static JsonNode last(Run run) throws IOException {
        return new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
    }

    /** Operations per second by scenario and side, from lines {@code op|block scenario threads side ...}. */
    private static Map<String, Double> rates(Path raw) throws IOException {
        Map<String, Integer> operations = new HashMap<>();
        Map<String, Double> millis = new HashMap<>();
        for (String line : Files.readAllLines(raw)) {
            String[] fields = line.split("\t");
            if (fields[0].equals("op")) {
                operations.merge(fields[1] + "\t" + fields[3], 1, Integer::sum);
            } else if (fields[0].equals("block")) {
                millis.merge(fields[1] + "\t" + fields[3], Double.parseDouble(fields[5]), Double::sum);
            }
        }
        Map<String, Double> rates = new HashMap<>();
        operations.forEach((key, count) -> rates.put(key, count / millis.getOrDefault(key, Double.NaN) * 1e3));
        return rates;
    }
}
