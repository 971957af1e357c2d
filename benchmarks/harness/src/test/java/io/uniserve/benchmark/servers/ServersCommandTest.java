package io.uniserve.benchmark.servers;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.cli.command.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options of {@code bench servers}. */
class ServersCommandTest {
    @ParameterizedTest
    @CsvSource({
        "--servers 2, --servers is 2: use 3 to 64",
        "--servers 4;65, --servers is 65: use 3 to 64",
        "--actors 0, --actors is 0: use 1 to 4096",
        "--actors 256;5000, --actors is 5000: use 1 to 4096",
        "--rf 1, --rf is 1: use 2 to 3",
        "--servers 3 --rf 3, '--rf is 3: a cluster of 3 servers cannot restore'",
        "--rows 0, --rows is 0: use 1 to 10000",
        "--clients 0, --clients is 0: use 1 to 256",
        "--seconds 0, --seconds is 0.0: use 0.1 to 3600 seconds",
        "--warm-up -1, --warm-up is -1.0: use 0.0 to 3600 seconds",
        "--idle-seconds 0, --idle-seconds is 0.0: use 1.0 to 3600 seconds",
        "--heap big, '--heap is \"big\": use a number and m or g, e.g. 64m'",
        "--heap 999999g, use fewer servers or a smaller --heap"
    })
    void wrongOptionsAreNamed(String options, String message) {
        Run run = TestingHarness.run(("bench servers " + options.replace(';', ',')).split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
    }

    @Test
    void memoryIsThatOfAllServers() {
        assertThat(ServersCommand.shortage(40, 64, 20_000)).isNull();
        assertThat(ServersCommand.shortage(40, 64, 6_000))
                .contains("--servers is 40", "8960 MB", "6000 MB", "a smaller --heap");
        assertThat(ServersCommand.shortage(40, 64, 0)).isNull();
    }
}
