package io.uniserve.cli.place;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.placement.generate.InstanceGenerator;
import io.uniserve.placement.generate.InstanceParameters;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.text.InstanceWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Placements through the command: input and output files, which stay unchanged for invalid input. */
class PlaceCommandTest {
    private final TestingConsole uniserve = TestingConsole.alone();

    @TempDir
    Path directory;

    private Path instance;
    private Path out;

    /** Policy that proposes a server that does not exist. */
    public static final class Unknown implements BalancePolicy {
        @Override
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            int[] where = new int[in.actors()];
            Arrays.fill(where, in.servers());
            return PlacementProposal.of(Assignment.single(where));
        }
    }

    /** Policy that throws. */
    public static final class Throwing implements BalancePolicy {
        @Override
        public PlacementProposal place(ClusterLoad in, SearchBudget searchBudget) {
            throw new IllegalStateException("no idea");
        }
    }

    @BeforeEach
    void write() throws IOException {
        InstanceParameters instanceParameters =
                new InstanceParameters(40, 30, 2, InstanceParameters.Change.DRIFT, InstanceParameters.Mix.RANGE, 1);
        instance = directory.resolve("day.txt");
        out = directory.resolve("day.out");
        Files.writeString(instance, InstanceWriter.write(InstanceGenerator.make(instanceParameters, 1)));
    }

    private Run place(String... more) {
        String[] words = {"place", "--instance", instance.toString()};
        String[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return uniserve.run(all);
    }

    @Test
    void placementsAreWrittenAndExplained() throws IOException {
        Run run = place("--policy", "parallelism", "--out", out.toString());
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.lines()).hasSize(3);
        assertThat(run.out()).contains("BALANCED");
        assertThat(Files.readAllLines(out)).hasSize(2 * 41).first().asString().startsWith("round 0 ");
        Run why = uniserve.run(
                "explain", "--instance", instance.toString(), "--placement", out.toString(), "--actor", "3");
        assertThat(why.out()).contains("actor 3", "it is on", "server ");
        String json = place("--policy", "static", "-o", "json").out();
        assertThat(new ObjectMapper().readTree(json).get(1).get("adds").intValue())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "io.uniserve.cli.place.PlaceCommandTest$Unknown, which does not exist",
        "io.uniserve.cli.place.PlaceCommandTest$Throwing, the policy failed"
    })
    void aBadPolicyIsRejectedAndTheOldPlacementStays(String policy, String reason) throws IOException {
        Run run = place("--policy", policy, "--out", out.toString());
        assertThat(run.out()).contains("REJECTED").doesNotContain("BALANCED");
        assertThat(run.err()).contains(reason);
        assertThat(Files.readAllLines(out).get(1)).isEqualTo("0:1.0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--eps 1", "--eps -0.1", "--eps NaN", "--rf 0", "--rf x", "--time-limit 0", "--moves -1"})
    void wrongOptions(String words) throws IOException {
        Files.writeString(out, "what was there");
        Run run = place((words + " --out " + out).split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(Files.readString(out)).isEqualTo("what was there");
    }

    @Test
    void aMalformedInstanceNamesTheLineAndLeavesTheOutput() throws IOException {
        Files.writeString(out, "what was there");
        String[] lines = Files.readString(instance).split("\n", -1);
        lines[2] = lines[2].replaceFirst("\\S+", "NaN");
        Files.writeString(instance, String.join("\n", lines));
        Run run = place("--out", out.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("day.txt, line 3: the load of actor 0 is NaN");
        assertThat(Files.readString(out)).isEqualTo("what was there");
        assertThat(place("--policy", "best").err()).contains("line 3");
    }

    @Test
    void zonesAndReplicasOfTheCommandLineAreKeptAndExplained() throws IOException {
        String[] asked = {"--rf", "2", "--zones", "0,0,1,1", "--weights", "1,2"};
        String[] words = {"--policy", "parallelism", "--out", out.toString()};
        Run run = place(Stream.of(words, asked).flatMap(Arrays::stream).toArray(String[]::new));
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.err()).doesNotContain("zones");
        for (String line : Files.readAllLines(out)) {
            if (!line.startsWith("round")) {
                assertThat(line.chars().filter(c -> c == ':').count()).isGreaterThanOrEqualTo(2);
                assertThat(line).containsPattern("(^| )[01]:").containsPattern("(^| )[23]:");
            }
        }
        String[] explain = {"explain", "--instance", instance.toString(), "--placement", out.toString(), "--actor", "3"
        };
        Run why = uniserve.run(Stream.of(explain, asked).flatMap(Arrays::stream).toArray(String[]::new));
        assertThat(why.out()).contains("needs 2 replicas, as rf asks", "in the zone of server");
        assertThat(uniserve.run(explain).out()).contains("needs 1 replicas").doesNotContain("in the zone of");
    }

    @Test
    void moreReplicasThanServersIsBestEffort() {
        Run run = place("--rf", "5");
        assertThat(run.out()).contains("BEST_EFFORT");
        assertThat(run.err()).contains("rf is 5, but there are only 4 servers");
    }
}
