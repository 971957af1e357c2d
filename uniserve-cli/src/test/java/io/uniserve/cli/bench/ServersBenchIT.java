package io.uniserve.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Small {@code bench servers} with real processes. It checks that every answer is right before and after a server dies, not the speed. */
@Tag("full")
class ServersBenchIT {
    @Test
    void everySizeAndNumberOfActorsIsMeasured() throws IOException {
        Run run = TestingConsole.alone()
                .run(("bench servers --servers 3,4 --actors 8,16 --seconds 1 --warm-up 1 --idle-seconds 1 --clients 2")
                        .split(" "));
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.path("failed").asInt(-1)).as(run.out()).isZero();
        assertThat(result.path("wrong").asInt(-1)).as(run.out()).isZero();
        assertThat(result.path("figures")).hasSize(2 * 7);
        assertThat(run.lines().get(0)).contains("3/8", "3/16", "4/8", "4/16");
        assertThat(run.out()).contains("kill -9: queries right again", "table placed");
    }
}
