package io.uniserve.benchmark.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts without processes: options, and the commands and class paths of a distribution. */
class UpgradeCommandTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --old /no/such/place                      | --old is /no/such/place: no distribution
        --old /no/such/place --drain-seconds 61   | --drain-seconds is 61: use 0 to 60
        --drain-seconds 1                         | --old
        """)
    void wrongOptionsAreRefusedBeforeAnythingStarts(String options, String message) {
        Run run = TestingHarness.run(("bench upgrade " + options).split(" "));
        assertThat(run.exit()).isIn(ExitCode.USAGE, ExitCode.REFUSED);
        assertThat(run.err()).contains(message);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aDistributionStartsItsOwnProcesses() throws IOException {
        Path launcher = Files.createFile(directory.resolve("uniserve"));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        Path lib = Files.createDirectory(directory.resolve("lib"));
        Files.createFile(lib.resolve("uniserve-client-1.jar"));
        Files.createFile(lib.resolve("uniserve-harness-1.jar"));
        UnpackedRelease old = new UnpackedRelease("old", directory);
        assertThat(old.command("-Xmx1g", List.of("server", "--new")))
                .containsExactly(
                        "env",
                        "-u",
                        "UNISERVE_HOME",
                        "UNISERVE_JAVA_OPTS=-Xmx1g",
                        launcher.toAbsolutePath().toString(),
                        "server",
                        "--new");
        assertThat(old.classPathWithout("uniserve-harness"))
                .isEqualTo(lib.resolve("uniserve-client-1.jar").toAbsolutePath().toString());
    }
}
