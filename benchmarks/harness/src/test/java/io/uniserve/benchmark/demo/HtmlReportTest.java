package io.uniserve.benchmark.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/** Page of the demo: self-contained, well-formed, with every figure and mark. */
class HtmlReportTest {
    private static final long SECOND = 1_000_000_000L;

    /** A run of some seconds with a dip after the kill in its middle. */
    private static DemoReport report(int queries, String problem) {
        Random random = new Random(5);
        List<QuerySample> samples = new ArrayList<>();
        long kill = 15 * SECOND;
        for (int i = 0; i < queries; i++) {
            long start = 20 * SECOND * i / queries;
            boolean dip = start > kill && start < kill + SECOND;
            long latency = (long) (Math.exp(random.nextGaussian() * 0.4) * (dip ? 180e6 : 12e6));
            boolean bad = !problem.isEmpty() && i % 100 == 7;
            samples.add(new QuerySample(
                    start, latency, "q", bad ? problem : "", bad && i % 200 == 7, dip ? 1 : 0, i % 40 / 39));
        }
        return new DemoReport(
                "A cluster <that> loses a server",
                17_597,
                4,
                8,
                2,
                4_711,
                kill,
                3_200,
                samples,
                List.of(
                        new QueryTimeline.Event(kill, "SIGKILL server-1"),
                        new QueryTimeline.Event(kill + 3_200_000_000L, "copies restored")));
    }

    @Test
    void thePageShowsFiguresAndMarksAndAsksForNothing() throws IOException {
        String page = new HtmlReport(report(6_000, "")).render();
        assertThat(page)
                .contains("6,000 queries, 0 failed, 0 wrong", "class=\"verdict ok\"", "A cluster &lt;that&gt; loses")
                .contains("SIGKILL server-1", "copies restored after 3.2 s", "process 4711", "17,597", "4, 8, 2")
                .doesNotContain("http:", "https:", "<script", "url(", "Problems");
        String out = System.getProperty("uniserve.test.report", "");
        if (!out.isEmpty()) {
            Files.writeString(Path.of(out), page);
        }
    }

    @Test
    void problemsAreTold() {
        String page = new HtmlReport(report(2_000, "wrong: 3 instead of <4>")).render();
        assertThat(page)
                .contains("2,000 queries, 10 failed, 10 wrong", "class=\"verdict bad\"")
                .contains("20 x", "wrong: 3 instead of &lt;4&gt;", "rect class='failed'", "circle class='wrong'");
    }

    @Test
    void everyDrawingIsWellFormedAndInsideItsFrame() throws Exception {
        for (int queries : new int[] {0, 1, 3, 700, 20_000}) {
            String page = new HtmlReport(report(queries, "")).render();
            List<String> drawings = Pattern.compile("(?s)<svg.*?</svg>")
                    .matcher(page)
                    .results()
                    .map(m -> m.group())
                    .toList();
            assertThat(drawings).hasSize(3);
            for (String drawing : drawings) {
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(drawing)));
                assertThat(drawing).doesNotContain("NaN", "Infinity", "x='-", "y='-");
            }
            assertThat(page.length()).as("bytes of the page").isLessThan(600_000);
        }
    }

    @Test
    void slicesHoldEveryQuery() {
        QueryTimeSeries queryTimeSeries =
                QueryTimeSeries.of(report(5_000, "bad").samples());
        assertThat(queryTimeSeries.slices().stream()
                        .mapToInt(slice -> slice.answers() + slice.failed())
                        .sum())
                .isEqualTo(5_000);
        assertThat(queryTimeSeries.slices()).hasSizeBetween(20, 101);
        assertThat(QueryTimeSeries.of(List.of()).slices()).hasSize(1);
    }
}
