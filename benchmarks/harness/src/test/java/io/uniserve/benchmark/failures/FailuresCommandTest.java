package io.uniserve.benchmark.failures;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.benchmark.demo.QuerySample;
import io.uniserve.benchmark.measure.ResultCollector;
import io.uniserve.cli.command.ExitCode;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts without processes: options, effective time-outs, percentiles, the plot. */
class FailuresCommandTest {
    private static final long SECOND = 1_000_000_000L;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --only disks               | --only names disks: use primary,coordinator,stopped,cluster,disk,queries
            --kills 0                  | --kills is 0: use 1 to 10000
            --minutes 0                | --minutes is 0.0: use 0.05 to 60
            --rf 1,1                   | --rf is [1, 1]: use different numbers
            --rf 9                     | --rf is 9: use 1 to 8
            --svg /no/such/place.svg   | there is no directory /no/such
            -S coordinator.los-grace=1s| coordinator.loss-grace
            """)
    void wrongOptionsAreRefusedBeforeAnythingStarts(String options, String message) {
        Run run = TestingHarness.run(("bench failures " + options).split(" "));
        assertThat(run.exit()).isIn(ExitCode.USAGE, ExitCode.REFUSED);
        assertThat(run.err()).contains(message);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void timeOutsInForceAreTheDefaultsUnlessGiven() {
        Map<String, String> given = EffectiveTimeouts.effective(Map.of("coordinator.loss-grace", "1500ms"));
        assertThat(given)
                .containsEntry("coordinator.loss-grace", "1500ms")
                .containsEntry("server.lease", "2s")
                .containsEntry("client.update-attempt", "5s");
        assertThat(EffectiveTimeouts.line(given)).startsWith("time-outs in force: zookeeper.session-timeout ");
    }

    @Test
    void percentilesAreMeasuredValues() {
        List<Double> values =
                IntStream.rangeClosed(1, 100).mapToObj(i -> (double) i).toList();
        assertThat(ResultCollector.percentile(values, 0.5)).isEqualTo(50);
        assertThat(ResultCollector.percentile(values, 0.99)).isEqualTo(99);
        assertThat(ResultCollector.percentile(List.of(7.0), 0.99)).isEqualTo(7);
        assertThat(ResultCollector.percentile(List.of(), 0.5)).isNaN();
    }

    @Test
    void thePlotIsAWholeDocumentWithTheKillAndTheEndOfTheOutage() throws Exception {
        List<QuerySample> samples = IntStream.range(0, 120)
                .mapToObj(i -> new QuerySample(
                        i * SECOND / 4, SECOND / 50, "q", i >= 60 && i < 80 ? "away" : "", i >= 60 && i < 80, 0, 0))
                .toList();
        KillUnderQueriesScenario.Run run = new KillUnderQueriesScenario.Run(1, samples, 15);
        assertThat(run.failed()).isEqualTo(20);
        assertThat(run.outageSeconds()).isBetween(4.7, 5.0);
        String svg = FailurePlot.svg(List.of(run));
        var document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getDocumentElement().getAttribute("xmlns")).isEqualTo("http://www.w3.org/2000/svg");
        assertThat(svg).contains("SIGKILL of a server", "last failure after 4.8 s");
        assertThat(svg.split("class='failed'", -1)).hasSize(1 + 5);
    }
}
