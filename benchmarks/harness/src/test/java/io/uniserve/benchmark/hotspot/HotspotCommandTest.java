package io.uniserve.benchmark.hotspot;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.cli.command.ExitCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options of {@code bench hotspot}. */
class HotspotCommandTest {
    @ParameterizedTest
    @CsvSource({
        "--ports duckdb, '--ports has \"duckdb\": use kv, solr, druid, mongodb'",
        "--servers 1, --servers is 1: use 2 to 16",
        "--clients 0, --clients is 0: use 1 to 1024",
        "--periods 0, --periods is 0: use 1 to 3",
        "--periods 4, --periods is 4: use 1 to 3",
        "--period 0, --period is 0.0: use 0.5 to 3600.0 seconds",
        "--seconds 0, --seconds is 0.0: use 0.1 to 3600.0 seconds",
        "--warm-up -1, --warm-up is -1.0: use 0.0 to 3600.0 seconds",
        "--copies-wait -1, --copies-wait is -1.0: use 0.0 to 3600.0 seconds",
        "--quota -1, '--quota is -1.0: use 0.01 to 64, or 0 for no limit'",
        "--quota 0.001, '--quota is 0.001: use 0.01 to 64, or 0 for no limit'",
        "--rows 10, --rows is 10: use 400 to 10000000",
        "--sf 0, --sf is 0.0: use 0.001 to 1",
        "--heap big, '--heap is \"big\": use a number and m or g, e.g. 512m'"
    })
    void wrongOptionsAreNamed(String options, String message) {
        Run run = TestingHarness.run(("bench hotspot " + options).split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
    }
}
