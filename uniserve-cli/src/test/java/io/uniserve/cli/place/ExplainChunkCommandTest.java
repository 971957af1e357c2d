package io.uniserve.cli.place;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.ServerId;
import io.uniserve.placement.ChunkPolicy.AgeModel;
import io.uniserve.placement.ChunkPolicy.Decision;
import io.uniserve.placement.ChunkPolicy.ServerCost;
import io.uniserve.protocol.message.AdminReply.ChunkExplanation;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** {@code uniserve explain-chunk}: costs of all servers, the model, and the choice. */
class ExplainChunkCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole console = new TestingConsole(options -> cluster);

    private static ChunkExplanation explanation(double error) {
        ServerId one = new ServerId("one");
        ServerId two = new ServerId("two");
        return new ChunkExplanation(
                "easy",
                "2024-05-01T00:00Z",
                34,
                List.of(List.of(two), List.of(one)),
                new Decision(
                        List.of(List.of(one), List.of(two)),
                        List.of(new ServerCost(one, 1.5), new ServerCost(two, 20)),
                        "CPU ms predicted",
                        Optional.of(new AgeModel(0.25, -0.5, 1, 2, -1.5, error, 9, 7, "table")),
                        321));
    }

    @Test
    void allServersAndTheModelAreShown() {
        cluster.chunk = explanation(0.125);
        Run run = console.run("explain-chunk", "t", "2024-05-01");
        assertThat(run.exit()).isZero();
        assertThat(run.out())
                .contains(
                        "2024-05-01T00:00Z, actors from 34 on, present",
                        "easy",
                        "a 0.2500, alpha -0.5000, b 1.000, c 2.000, beta -1.500; error 12.5 %, from table: 9 actors of"
                                + " 7",
                        "321.0 ms",
                        "1.500",
                        "20.00");
        assertThat(cluster.changes()).contains("explain-chunk t 1714521600000");
    }

    @Test
    void jsonHasAllFields() {
        cluster.chunk = explanation(Double.NaN);
        for (String[] options : new String[][] {{"--json"}, {"-o", "json"}}) {
            String[] line = new String[3 + options.length];
            System.arraycopy(new String[] {"explain-chunk", "t", "2024-05-01T10:00:00Z"}, 0, line, 0, 3);
            System.arraycopy(options, 0, line, 3, options.length);
            assertThat(console.run(line).out().replaceAll("\\s", ""))
                    .contains(
                            "\"policy\":\"easy\"",
                            "\"two\":20.0",
                            "\"beta\":-1.5",
                            "\"error\":null",
                            "\"firstActor\":34");
        }
    }

    @Test
    void aWrongTimeAndATableWithoutChunksAreRefused() {
        Run wrong = console.run("explain-chunk", "t", "yesterday");
        assertThat(wrong.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(wrong.err()).contains("CHUNK is yesterday", "2024-05-01");
        Run none = console.run("explain-chunk", "t", "2024-05-01");
        assertThat(none.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(none.err()).contains("not partitioned by time");
    }
}
