package io.uniserve.cli.bench;

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
 * Small {@code bench updates} with real processes, launched twice. It checks the answers and that the result can be recomputed from the raw
 * output, not the speed.
 */
@Tag("full")
class UpdatesBenchIT {
    @TempDir
    Path directory;

    @Test
    void figuresAreThoseOfTheRawOutput() throws IOException {
        Path raw = directory.resolve("raw.tsv");
        Run run = TestingConsole.alone()
                .run(
                        ("bench updates --launches 2 --actors 2 --updates 3 --queries 20 --rounds 1 --warm-up 5 --stream 20"
                                        + " --bulk 1 --raw " + raw)
                                .split(" "));
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.path("launches").asInt()).isEqualTo(2);
        List<Map<String, List<Long>>> launches = latencies(raw);
        assertThat(launches).hasSize(2);
        check(result, launches, "serializable, rf 2, 1 MB: p50 us", 0.5, "update, rf 2, 1 MB\tserializable");
        check(
                result,
                launches,
                "all-actor query among 20 updates/s of 1 row: p99 us over eventual",
                0.99,
                "query among 20 updates/s of 1 row, atomic\tatomic");
        assertThat(run.out())
                .contains("launch 2 of 2", "of 2 launches", "among 20 updates/s of all rows", "as fast as they go")
                .containsPattern("ZooKeeper calls of all servers: \\d+ during 20 queries of the atomic table, \\d+ in");
    }

    private static void check(
            JsonNode result, List<Map<String, List<Long>>> launches, String figure, double share, String side) {
        double logs = 0;
        for (Map<String, List<Long>> launch : launches) {
            List<Long> sorted = Objects.requireNonNull(launch.get(side), side).stream()
                    .sorted()
                    .toList();
            logs += Math.log(sorted.get((int) Math.ceil(share * sorted.size()) - 1) / 1e3);
        }
        List<JsonNode> found = new ArrayList<>();
        result.path("figures").forEach(each -> {
            if (each.path("name").asText().equals(figure)) {
                found.add(each);
            }
        });
        assertThat(found).as(figure).hasSize(1);
        double ours = found.get(0).path("ours").asDouble();
        assertThat(ours).isCloseTo(Math.exp(logs / launches.size()), withPercentage(0.1));
        assertThat(found.get(0).path("ratio").asDouble())
                .isCloseTo(found.get(0).path("peer").asDouble() / ours, withPercentage(0.1));
    }

    /** Latencies per launch, by scenario and side. */
    private static List<Map<String, List<Long>>> latencies(Path raw) throws IOException {
        List<Map<String, List<Long>>> launches = new ArrayList<>();
        for (String line : Files.readAllLines(raw)) {
            String[] fields = line.split("\t");
            if (fields[0].equals("launch")) {
                launches.add(new HashMap<>());
            } else if (fields[0].equals("op")) {
                launches.get(launches.size() - 1)
                        .computeIfAbsent(fields[1] + "\t" + fields[3], key -> new ArrayList<>())
                        .add(Long.parseLong(fields[6]));
            }
        }
        return launches;
    }
}
