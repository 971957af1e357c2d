package io.uniserve.benchmark.demo;

import io.uniserve.benchmark.chart.TimePlot;
import io.uniserve.benchmark.demo.QueryTimeSeries.Bucket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Report as one self-contained page: figures, the timeline in three plots, the problems. */
final class HtmlReport {
    private static final int DOTS_MAX = 4_000;
    private static final double NANOS = 1e9;
    private static final String PAGE = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>%1$s</title>
            <style>
            body{font:15px/1.5 system-ui,sans-serif;max-width:1040px;margin:2em auto;padding:0 1em;color:#1b1f24}
            h1{font-size:1.5em;margin-bottom:.2em} h2{font-size:1.1em;margin:1.6em 0 .2em}
            .verdict{font-size:1.2em;font-weight:600;margin:.2em 0 1em} .ok{color:#1a7f37} .bad{color:#cf222e}
            .cards{display:flex;flex-wrap:wrap;gap:.8em} .card{border:1px solid #d0d7de;border-radius:6px;padding:.5em 1em}
            .card b{display:block;font-size:1.35em;font-variant-numeric:tabular-nums} .card span{color:#57606a}
            .legend{color:#57606a;font-size:.9em;margin:.2em 0}
            .legend i{display:inline-block;width:1em;height:.7em;margin:0 .4em 0 1.2em}
            table{border-collapse:collapse} td{padding:.25em 1.5em .25em 0} td.n{text-align:right}
            svg{background:#f6f8fa;border:1px solid #d0d7de;width:100%%;height:auto;display:block}
            svg text{font:12px system-ui,sans-serif;fill:#57606a} .grid{stroke:#d8dee4}
            rect.answers,i.answers{fill:#54aeff;background:#54aeff} rect.failed,i.failed{fill:#cf222e;background:#cf222e}
            rect.retries,i.retries{fill:#bf8700;background:#bf8700} rect.hedges,i.hedges{fill:#8250df;background:#8250df}
            .p50,.p99{fill:none;stroke-width:2} .p50{stroke:#0969da} .p99{stroke:#bc4c00}
            i.p50{background:#0969da} i.p99{background:#bc4c00}
            circle.right,i.right{fill:#8c959f;background:#8c959f;opacity:.45} circle.failed{fill:#cf222e} circle.wrong{fill:#8250df}
            rect.outage{fill:#fff1e5} i.outage{background:#ffd8b5}
            line.kill{stroke:#cf222e;stroke-width:2} text.kill{fill:#cf222e;font-weight:600}
            line.back{stroke:#1a7f37;stroke-width:2} text.back{fill:#1a7f37;font-weight:600}
            </style></head><body>
            <h1>%1$s</h1>
            <p class="verdict %2$s">%3$s</p>
            %4$s
            </body></html>
            """;

    private final DemoReport report;
    private final QueryTimeSeries queryTimeSeries;

    HtmlReport(DemoReport report) {
        this.report = report;
        this.queryTimeSeries = QueryTimeSeries.of(report.samples());
    }

    String render() {
        String slice = "in slices of "
                + (queryTimeSeries.seconds() < 1 ? "%.1f s" : "%.0f s").formatted(queryTimeSeries.seconds());
        String body = cards()
                + section(
                        "Answers per second, " + slice,
                        legend("answers", "correct answers", "failed", "failed or wrong"),
                        rate())
                + section(
                        "Latency, " + slice,
                        legend(
                                "right",
                                "each query",
                                "p50",
                                "p50: half are faster",
                                "p99",
                                "p99: 99 of 100 are faster"),
                        latency())
                + section(
                        "Retries and hedges per second, " + slice,
                        legend("retries", "sent again to another server", "hedges", "also sent to another replica"),
                        effort())
                + problems();
        return PAGE.formatted(
                escape(report.title()),
                report.failed() + report.wrong() == 0 ? "ok" : "bad",
                "%,d queries, %d failed, %d wrong".formatted(report.samples().size(), report.failed(), report.wrong()),
                body);
    }

    private String cards() {
        double after = report.samples().isEmpty() ? 0 : report.samples().size() / queryTimeSeries.spanSeconds();
        List<String> cards = new ArrayList<>();
        cards.add(card("%.0f".formatted(after), "queries per second"));
        cards.add(card(quantiles(report.before()), "p50, p99 before the kill"));
        cards.add(card(quantiles(report.after()), "p50, p99 after it"));
        cards.add(card(ms(QueryTimeline.longestGapMs(report.samples())), "longest time without an answer"));
        cards.add(card(
                report.restoredMs() < 0 ? "not in time" : "%.1f s".formatted(report.restoredMs() / 1e3),
                "until all copies were restored"));
        cards.add(card(report.retries() + ", " + report.hedges(), "retries, hedges"));
        cards.add(card("%,d".formatted(report.documents()), "documents"));
        cards.add(card(
                report.servers() + ", " + report.actors() + ", " + report.rf(), "servers, actors, copies of each"));
        cards.add(card("process " + report.killedPid(), "killed by SIGKILL"));
        return "<div class='cards'>" + String.join("", cards) + "</div>";
    }

    private static String quantiles(List<QuerySample> samples) {
        return ms(QueryTimeline.percentileMs(samples, 0.5)) + ", " + ms(QueryTimeline.percentileMs(samples, 0.99));
    }

    private static String card(String value, String name) {
        return "<div class='card'><b>" + escape(value) + "</b><span>" + escape(name) + "</span></div>";
    }

    private static String section(String title, String legend, String plot) {
        return "<h2>" + escape(title) + "</h2>" + legend + plot;
    }

    private static String legend(String... stylesAndNames) {
        StringBuilder legend = new StringBuilder("<p class='legend'>");
        for (int i = 0; i < stylesAndNames.length; i += 2) {
            legend.append("<i class='" + stylesAndNames[i] + "'></i>" + escape(stylesAndNames[i + 1]));
        }
        return legend.append("<i class='outage'></i>copies missing</p>").toString();
    }

    private String rate() {
        double width = queryTimeSeries.seconds();
        TimePlot plot =
                TimePlot.linear(180, queryTimeSeries.spanSeconds(), maxOf(b -> b.answers() + b.failed()) / width);
        withOutageShade(plot).grid("%.0f"::formatted);
        for (int i = 0; i < queryTimeSeries.slices().size(); i++) {
            Bucket slice = queryTimeSeries.slices().get(i);
            double right = (slice.answers() - slice.wrong()) / width;
            plot.bar(i * width, width, 0, right, "answers");
            plot.bar(i * width, width, right, (slice.failed() + slice.wrong()) / width, "failed");
        }
        return withEvents(plot).svg();
    }

    private String latency() {
        double largest =
                report.samples().stream().mapToDouble(HtmlReport::millis).max().orElse(1);
        double smallest =
                report.samples().stream().mapToDouble(HtmlReport::millis).min().orElse(1);
        TimePlot plot = TimePlot.logarithmic(240, queryTimeSeries.spanSeconds(), smallest, largest);
        withOutageShade(plot).grid(HtmlReport::ms);
        int step = Math.max(1, report.samples().size() / DOTS_MAX);
        for (int i = 0; i < report.samples().size(); i++) {
            QuerySample sample = report.samples().get(i);
            if (i % step == 0 || !sample.problem().isEmpty()) {
                String style = sample.failed() ? "failed" : sample.isWrong() ? "wrong" : "right";
                plot.dot((sample.startNanos() + sample.latencyNanos()) / NANOS, millis(sample), style);
            }
        }
        plot.line(
                queryTimeSeries.seconds(),
                queryTimeSeries.slices().stream().map(Bucket::p50Ms).toList(),
                "p50");
        plot.line(
                queryTimeSeries.seconds(),
                queryTimeSeries.slices().stream().map(Bucket::p99Ms).toList(),
                "p99");
        return withEvents(plot).svg();
    }

    private String effort() {
        double width = queryTimeSeries.seconds();
        TimePlot plot =
                TimePlot.linear(90, queryTimeSeries.spanSeconds(), maxOf(b -> b.retries() + b.hedges()) / width);
        withOutageShade(plot).grid("%.0f"::formatted);
        for (int i = 0; i < queryTimeSeries.slices().size(); i++) {
            Bucket slice = queryTimeSeries.slices().get(i);
            plot.bar(i * width, width, 0, slice.retries() / width, "retries");
            plot.bar(i * width, width, slice.retries() / width, slice.hedges() / width, "hedges");
        }
        return withEvents(plot).svg();
    }

    private double maxOf(ToDoubleFunction<Bucket> value) {
        return queryTimeSeries.slices().stream().mapToDouble(value).max().orElse(0);
    }

    /** Shades the time from the kill until the replicas are restored, or to the end. */
    private TimePlot withOutageShade(TimePlot plot) {
        double kill = report.killNanos() / NANOS;
        double back = report.restoredMs() < 0 ? queryTimeSeries.spanSeconds() : kill + report.restoredMs() / 1e3;
        return plot.shade(kill, back, "outage");
    }

    /** Marks the events. The kill is named to the left of its line and later events to the right, so that the names do not overlap. */
    private TimePlot withEvents(TimePlot plot) {
        for (QueryTimeline.Event event : report.events()) {
            boolean kill = event.atNanos() <= report.killNanos();
            String text = kill ? event.what() : event.what() + " after %.1f s".formatted(report.restoredMs() / 1e3);
            plot.event(event.atNanos() / NANOS, text, kill, kill ? "kill" : "back");
        }
        return plot;
    }

    private String problems() {
        if (report.problems().isEmpty()) {
            return "";
        }
        StringBuilder rows = new StringBuilder("<h2>Problems</h2><table>");
        report.problems()
                .forEach((problem, count) ->
                        rows.append("<tr><td class='n'>" + count + " x</td><td>" + escape(problem) + "</td></tr>"));
        return rows.append("</table>").toString();
    }

    private static double millis(QuerySample sample) {
        return sample.latencyNanos() / 1e6;
    }

    private static String ms(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        return value >= 1_000
                ? String.format(Locale.ROOT, "%.3g s", value / 1e3).replaceAll("\\.0+ s", " s")
                : String.format(Locale.ROOT, value < 1 ? "%.1f ms" : value < 10 ? "%.2g ms" : "%.0f ms", value);
    }

    private static String escape(String text) {
        return TimePlot.escape(text);
    }
}
