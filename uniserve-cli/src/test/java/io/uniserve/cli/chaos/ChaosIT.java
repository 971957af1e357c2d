package io.uniserve.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Short run of {@code uniserve chaos}: a dozen processes under random faults, with a check of the history. */
class ChaosIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static Run run(String... words) {
        return new TestingConsole(RemoteCluster::connect).run(words);
    }

    @Test
    void nothingIsLostAndNothingIsWrong(@TempDir Path directory) throws Exception {
        Path history = directory.resolve("history.jsonl");
        String[] words = {
            "chaos",
            "--minutes",
            "0.2",
            "--seed",
            "3",
            "--clients",
            "2",
            "--full-disk",
            "none",
            "--history",
            "" + history
        };
        Run run = run(words);
        assertThat(run.exit()).as(run.out() + run.err()).isEqualTo(ExitCode.OK);
        JsonNode result = JSON.readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.get("lost").asInt()).isZero();
        assertThat(result.get("wrong").asInt()).isZero();
        assertThat(result.get("faults").asInt()).isPositive();
        assertThat(result.get("operations").asLong()).isPositive();
        assertThat(complete(Files.readAllLines(history)))
                .isEqualTo(result.get("operations").asLong());
    }

    /** Checks that requests and replies of every process alternate. Returns the number of completed operations. */
    private static long complete(List<String> lines) throws Exception {
        Map<String, String> last = new HashMap<>();
        long ended = 0;
        for (String line : lines) {
            JsonNode event = JSON.readTree(line);
            String process = event.get("process").asText();
            if (process.equals("nemesis")) {
                continue;
            }
            String type = event.get("type").asText();
            assertThat(type.equals("invoke")).as(line).isNotEqualTo("invoke".equals(last.put(process, type)));
            ended += type.equals("invoke") ? 0 : 1;
        }
        assertThat(last.values()).doesNotContain("invoke");
        return ended;
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThat(run("chaos", "--minutes", "0").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run("chaos", "--servers", "3").err()).contains("--servers is 3: use 4 to 16");
        assertThat(run("chaos", "--full-disk", "sometimes").exit()).isEqualTo(ExitCode.USAGE);
    }
}
