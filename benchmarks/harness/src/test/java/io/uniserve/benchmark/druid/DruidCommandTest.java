package io.uniserve.benchmark.druid;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.cli.command.ExitCode;
import java.nio.file.Path;
import java.time.YearMonth;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options of {@code bench druid}, and its rows. */
class DruidCommandTest {
    @ParameterizedTest
    @CsvSource({
        "--sf 0, --sf is 0.0: use 0.001 to 10",
        "--servers 0, --servers",
        "--heap big, --heap is",
        "--quota -1, --quota is -1.0",
        "--minutes 0, --minutes is 0.0",
        "--shares 101, --shares",
        "--part kill --rf 5, --rf",
        "--copies-wait -1, --copies-wait is -1.0",
        "--part easy --rate 0, --rate is 0.0: use 1 to 100000",
        "--part easy --chunk-seconds 0.5, --chunk-seconds is 0.5",
        "--part easy --measure 0, --measure is 0.0",
        "--part easy --repeats 0, --repeats",
        "--queries nothing, query \"nothing\" is not known: use count_star_interval"
    })
    void wrongOptionsAreNamed(String options, String message) {
        Run run = TestingHarness.run(("bench druid " + options).split(" "));
        assertThat(run.exit()).isNotEqualTo(ExitCode.OK);
        assertThat(run.err()).contains(message);
    }

    @Test
    void everyRowIsInTheFileOfItsMonth(@TempDir Path directory) {
        LineitemChunks data =
                new LineitemChunks(directory, 0.001, io.uniserve.cli.command.Console.ofProcess(), () -> 0);
        assertThat(data.rows()).isEqualTo(6_005);
        assertThat(data.quantity()).isPositive();
        int time = LineitemChunks.COLUMNS.indexOf(LineitemChunks.TIME);
        int number = 0;
        for (LineitemChunks.Chunk chunk : data.chunks()) {
            assertThat(chunk.number()).isEqualTo(number++);
            assertThat(chunk.lines()).hasSize((int) chunk.rows());
            for (String line : chunk.lines()) {
                String[] values = line.split("\\|", -1);
                assertThat(values).hasSize(LineitemChunks.COLUMNS.size());
                assertThat(YearMonth.parse(values[time].substring(0, 7))).isEqualTo(chunk.month());
            }
        }
    }
}
