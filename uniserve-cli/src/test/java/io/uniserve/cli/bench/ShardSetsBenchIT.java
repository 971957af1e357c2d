package io.uniserve.cli.bench;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small {@code bench shardsets} with real processes. It checks that no query fails and no answer is wrong, not the speed. */
@Tag("full")
class ShardSetsBenchIT {
    @TempDir
    Path folder;

    @Test
    void everyPolicyIsMeasuredAndEveryAnswerIsRight() throws IOException {
        Path plot = folder.resolve("p99.svg");
        Run run = TestingConsole.alone()
                .run(("bench shardsets --servers 2 --actors 8 --rows 800 --sets 8 --quota 0 --load 0.05 --clients 8"
                                + " --seconds 1 --warm-up 1 --calibration 1 --period 0.5 --adapt 4"
                                + " --policies greedy,estore,getafix,parallelism --plot " + plot)
                        .split(" "));
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.path("failed").asInt(-1)).as(run.out()).isZero();
        assertThat(result.path("wrong").asInt(-1)).as(run.out()).isZero();
        List<String> measured = new ArrayList<>();
        result.path("rowsPerPolicy").forEach(row -> {
            measured.add(
                    row.path("workload").asText() + " " + row.path("policy").asText());
            assertThat(row.path("contention").asDouble())
                    .as("shard sets are measured: " + row)
                    .isGreaterThanOrEqualTo(1);
        });
        for (String workload : List.of("ranges", "scattered", "mixed", "drift")) {
            for (String policy : List.of("none", "greedy", "estore", "getafix", "parallelism")) {
                assertThat(measured).contains(workload + " " + policy);
            }
        }
        assertThat(Files.readString(plot)).contains("parallelism");
    }
}
