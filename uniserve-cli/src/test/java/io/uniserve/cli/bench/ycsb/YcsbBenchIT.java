package io.uniserve.cli.bench.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small {@code bench ycsb} with real processes. It checks that every part runs and that every answer is right, not the speed. */
@Tag("full")
class YcsbBenchIT {
    private static final String SMALL = "bench ycsb --servers 2 --actors 4 --heap 256m --operations 100 --scans 20"
            + " --threads 2 --warm-up 20 --rounds 1 --bulk 1 --quota 0 --copies-wait 0 ";

    @TempDir
    Path directory;

    @Test
    void everyPartOfAPortIsMeasured() throws IOException {
        Path raw = directory.resolve("raw");
        Path plots = directory.resolve("plots");
        JsonNode result = run(SMALL + "--records 2500 --raw " + raw + " --plots " + plots);
        assertThat(names(result))
                .contains("scans kv over 2 bare engines: scans/s", "hot kv: op/s with balancing over without")
                .contains("bulk kv 1 MB: ms over the bare engine", "core kv e over 2 bare engines: SCAN p99 us")
                .contains("core kv a over bare engine: CPU ms per operation");
        assertThat(result.path("skipped")).isEmpty();
        try (Stream<Path> files = Files.list(raw)) {
            // three loads, two blocks of scans and six workloads on three sides; load and seven runs of part hot
            assertThat(files).hasSize(3 + 3 * 2 + 3 * 6 + 8);
        }
        assertThat(plots.resolve("ycsb-kv.svg")).content().contains("<svg", "uniserve p99");
    }

    @Test
    void whatAPortCannotIsSkippedByName() throws IOException {
        JsonNode result = run(SMALL + "--ports lucene --records 200 --workloads a,e");
        assertThat(result.path("skipped")).hasSize(4);
        assertThat(result.path("skipped").toString())
                .contains("part scans of port lucene", "workload e of port lucene", "no range of keys")
                .contains("part hot of port lucene", "part bulk of port lucene");
    }

    private static JsonNode run(String words) throws IOException {
        Run run = TestingConsole.alone().run(words.split(" "));
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.path("failures").asInt(-1)).as(run.out()).isZero();
        assertThat(result.path("verifiedRows").asInt()).isPositive();
        return result;
    }

    private static List<String> names(JsonNode result) {
        List<String> names = new ArrayList<>();
        result.path("figures").forEach(figure -> names.add(figure.path("name").asText()));
        return names;
    }
}
