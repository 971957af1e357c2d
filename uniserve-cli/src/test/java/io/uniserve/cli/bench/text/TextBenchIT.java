package io.uniserve.cli.bench.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.testkit.seed.Seed;
import io.uniserve.testkit.seed.Seeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Small {@code bench text} against real SolrCloud nodes. It checks that the answers are equal and that the result can be recomputed from
 * the raw output, not the speed.
 */
class TextBenchIT {
    @TempDir
    Path directory;

    @Test
    @Seeded
    void answersAreThoseOfSolrCloudAndFiguresThoseOfTheRawOutput(@Seed long seed) throws IOException {
        Path raw = directory.resolve("raw.tsv");
        Run run = TestingConsole.alone()
                .run(
                        "bench text --launches 2 --corpus europarl --documents 1000 --nodes 2 --shards 2 --heap 256m --clients 2 --operations 20 --seconds 0.1"
                                .concat(
                                        " --rounds 2 --warmup 20 --settle 2 --bulk 1 --bulk-rounds 1 --quota 0 --generated 30"
                                                + " --seed ")
                                .concat(seed + " --raw " + raw)
                                .split(" "));
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.path("different").asInt(-1)).as(run.out()).isZero();
        assertThat(result.path("segments").asInt()).isEqualTo(2);
        assertThat(result.path("peerSegments").asInt()).isEqualTo(2);
        assertThat(result.path("compared").asInt()).isEqualTo(2 * (4 + 30 + 4));
        List<Map<String, Double>> launches = throughput(raw);
        assertThat(launches).hasSize(2);
        List<JsonNode> figures = StreamSupport.stream(result.path("figures").spliterator(), false)
                .filter(figure -> figure.path("name").asText().endsWith("queries/s"))
                .toList();
        assertThat(figures).hasSize(8);
        for (JsonNode figure : figures) {
            String scenario = figure.path("name").asText().replaceFirst(", \\d+ clients: .*", "");
            assertThat(figure.path("ours").asDouble())
                    .isCloseTo(mean(launches, scenario + "\tuniserve"), withPercentage(1));
            assertThat(figure.path("peer").asDouble())
                    .isCloseTo(mean(launches, scenario + "\tpeer"), withPercentage(1));
        }
    }

    private static double mean(List<Map<String, Double>> launches, String key) {
        return Math.exp(launches.stream()
                        .mapToDouble(launch -> Math.log(launch.getOrDefault(key, Double.NaN)))
                        .sum()
                / launches.size());
    }

    /**
     * Operations per second by scenario and side of each launch, from lines {@code launch n} and {@code op|block scenario threads side
     * ...}.
     */
    private static List<Map<String, Double>> throughput(Path raw) throws IOException {
        List<Map<String, Double>> launches = new ArrayList<>();
        Map<String, Integer> operations = new HashMap<>();
        Map<String, Double> millis = new HashMap<>();
        List<String> lines = new ArrayList<>(Files.readAllLines(raw));
        lines.add("launch\tend");
        for (String line : lines) {
            String[] parts = line.split("\t");
            if (parts[0].equals("op")) {
                operations.merge(parts[1] + "\t" + parts[3], 1, Integer::sum);
            } else if (parts[0].equals("block")) {
                millis.merge(parts[1] + "\t" + parts[3], Double.parseDouble(parts[5]), Double::sum);
            } else if (!operations.isEmpty()) {
                Map<String, Double> launch = new HashMap<>();
                operations.forEach((key, count) -> launch.put(key, count / millis.getOrDefault(key, Double.NaN) * 1e3));
                launches.add(launch);
                operations.clear();
                millis.clear();
            }
        }
        return launches;
    }
}
