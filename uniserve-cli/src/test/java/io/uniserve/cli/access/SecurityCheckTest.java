package io.uniserve.cli.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import org.junit.jupiter.api.Test;

/** The matrix of requests, HTTP routes and callers, as the command runs it. */
class SecurityCheckTest {
    @Test
    void everyRequestIsTreatedAsDeclaredForEveryCaller() {
        Run run = new TestingConsole(bootstrap -> new TestingClusterClient()).run("security", "check");
        assertThat(run.out())
                .as(run.err())
                .contains("\"methods\":45,\"identities\":17,\"cells\":765,\"wrong\":0,\"missing\":[]")
                .doesNotContain("WRONG");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
    }
}
