package io.uniserve.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Small {@code bench hotspot} with real processes and all ports. It checks that no query fails and no answer is wrong, not the speed. */
@Tag("full")
class HotspotBenchIT {
    @Test
    void everyPortIsMeasuredAndEveryAnswerIsRight() throws IOException {
        Run run = TestingConsole.alone()
                .run(("bench hotspot --servers 2 --quota 0 --clients 4 --seconds 1 --warm-up 1 --period 0.5"
                                + " --copies-wait 1 --rows 400 --sf 0.001")
                        .split(" "));
        assertThat(run.exit()).as(run.err()).isIn(ExitCode.OK, ExitCode.NOT_PASSED);
        JsonNode result =
                new ObjectMapper().readTree(run.lines().get(run.lines().size() - 1));
        assertThat(result.path("failed").asInt(-1)).as(run.out()).isZero();
        assertThat(result.path("wrong").asInt(-1)).as(run.out()).isZero();
        assertThat(result.path("queries").asInt()).isPositive();
        List<String> names = new ArrayList<>();
        result.path("figures").forEach(figure -> names.add(figure.path("name").asText()));
        for (String port : List.of("kv", "solr", "druid", "mongodb")) {
            assertThat(names).contains("hotspot " + port + ": queries/s after 3 periods over balancing off");
        }
        assertThat(run.out()).contains("mongo-java-server, which is not MongoDB");
    }
}
