package io.uniserve.benchmark.shuffle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small {@code bench shuffle}: it checks that its figures are those of its raw output, not the speed. */
class ShuffleCommandTest {
    private static final int SHUFFLES = 3;

    @TempDir
    Path directory;

    private static Run run(String words) {
        return TestingHarness.run(words.split(" "));
    }

    @Test
    void figuresAreThoseOfTheRawOutput() throws IOException {
        Path raw = directory.resolve("raw.tsv");
        Run run = run("bench shuffle --chunks 3 --chunk-kib 64 --small-kib 1 --rounds 1 --settle 0 --shuffles "
                + SHUFFLES + " --raw " + raw);
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        check(result, raw, "shuffle MB/s", 3L * 64 << 10);
        check(result, raw, "64 x 64 shuffle MB/s", 64L * 64 << 10);
        assertThat(result.path("peakMemoryBytes").asLong()).isPositive();
        assertThat(result.path("liveHeapBytes").asLong())
                .as("chunks made and received")
                .isGreaterThan(2L * 64 * 64 << 10);
    }

    private static void check(JsonNode result, Path raw, String name, long bytes) throws IOException {
        for (JsonNode figure : result.path("figures")) {
            if (figure.path("name").asText().equals(name)) {
                double ours = bytes * 1e3 / median(raw, name, "uniserve");
                double floor = bytes * 1e3 / median(raw, name, "bare stream");
                assertThat(figure.path("ours").asDouble()).isCloseTo(ours, withPercentage(0.1));
                assertThat(figure.path("peer").asDouble()).isCloseTo(floor, withPercentage(0.1));
                assertThat(figure.path("ratio").asDouble()).isCloseTo(ours / floor, withPercentage(0.1));
                return;
            }
        }
        throw new AssertionError("no figure of this name: " + name);
    }

    /** Returns the median of an odd number of shuffles, in nanoseconds. */
    private static long median(Path raw, String name, String side) throws IOException {
        try (Stream<String> lines = Files.lines(raw)) {
            List<Long> times = lines.map(line -> List.of(line.split("\t", -1)))
                    .filter(fields -> fields.get(0).equals("op")
                            && fields.get(1).equals(name)
                            && fields.get(3).equals(side))
                    .map(fields -> Long.valueOf(fields.get(fields.size() - 1)))
                    .sorted()
                    .toList();
            assertThat(times).hasSize(SHUFFLES);
            return times.get(SHUFFLES / 2);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--chunks 0",
                "--chunk-kib 16385",
                "--chunks 4096 --chunk-kib 16384",
                "--settle -1",
                "--rounds 0",
                "--shuffles 0",
                "--small-kib 0",
                "--processes 33"
            })
    void whatIsOutOfRangeIsNamed(String options) {
        Run run = run("bench shuffle " + options);
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(options.split(" ")[0]);
    }
}
