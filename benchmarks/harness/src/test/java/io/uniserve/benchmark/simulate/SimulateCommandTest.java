package io.uniserve.benchmark.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulateCommandTest {
    private static JsonNode lastLine(Run run) throws IOException {
        return new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
    }

    @Test
    void aSeedTwiceHasTheSameHash() throws IOException {
        Run first = TestingHarness.run("simulate", "--seeds", "7", "--seconds", "10");
        JsonNode result = lastLine(first);
        assertThat(result.get("cmd").textValue()).isEqualTo("simulate");
        assertThat(result.get("seeds").textValue()).isEqualTo("7..7");
        assertThat(result.get("violations").intValue()).isZero();
        assertThat(result.get("operations").longValue()).isPositive();
        assertThat(result.get("hash").textValue()).hasSize(64);
        assertThat(first.out()).contains("simulated hours", "violations: 0", "hash ");
        JsonNode again = lastLine(TestingHarness.run("simulate", "--seeds", "7..7", "--seconds", "10"));
        assertThat(again.get("hash")).isEqualTo(result.get("hash"));
    }

    @Test
    void aCalmRunTellsWhatTheClusterKeeps() throws IOException {
        Run run = TestingHarness.run("simulate", "--calm", "--seeds", "3", "--hours", "0.2");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).contains("seed 3: 0.", "bytes of logs of a server", "violations: 0");
    }

    @Test
    void hoursTellHowManySeeds() throws IOException {
        Run run = TestingHarness.run("simulate", "--seeds", "3", "--seconds", "10", "--hours", "0.005");
        assertThat(lastLine(run).get("seeds").textValue()).isEqualTo("3..4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--seeds x",
                "--seeds 5..1",
                "--seeds 1..99999999999",
                "--seeds 1..2..3",
                "--hours 0",
                "--calm --rebalance",
                "--calm --plant skipped-fsync",
                "--calm --seconds 10",
                "--hours -1",
                "--hours NaN",
                "--plant nothing-such",
                "--seconds x",
            })
    void wrongOptions(String words) {
        Run run = TestingHarness.run(("simulate " + words).split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void secondsOutOfRange() {
        Run run = TestingHarness.run("simulate", "--seeds", "1", "--seconds", "0");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("use 1 to");
    }
}
