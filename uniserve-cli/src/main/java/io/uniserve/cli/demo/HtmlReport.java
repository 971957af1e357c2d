package io.uniserve.cli.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The report as one page without anything from outside: figures, a latency plot, a throughput plot, the problems. */
final class HtmlReport {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 260;
    private static final int LEFT = 60;
    private static final int BOTTOM = 30;
    private static final int DOTS_MAX = 6_000;

    private final DemoReport report;
    private final double spanNanos;

    HtmlReport(DemoReport report) {
        this.report = report;
        this.spanNanos = Math.max(
                1,
                report.samples().stream()
                        .mapToLong(s -> s.startNanos() + s.latencyNanos())
                        .max()
                        .orElse(1));
    }

    String render() {
        return """
                <!doctype html>
                <html lang="en"><head><meta charset="utf-8"><title>%s</title>
                <style>
                body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#1b1f24}
                h1{font-size:1.5em} h2{font-size:1.1em;margin-top:2em}
                table{border-collapse:collapse} td,th{padding:.25em 1em .25em 0;text-align:left;vertical-align:top}
                td.n{text-align:right;font-variant-numeric:tabular-nums}
                .ok{color:#1a7f37;font-weight:600}.bad{color:#cf222e;font-weight:600}
                svg{background:#f6f8fa;border:1px solid #d0d7de;width:100%%;height:auto}
                svg text{font:11px system-ui,sans-serif;fill:#57606a}
                </style></head><body>
                <h1>%s</h1>
                <p class="%s">%s</p>
                %s
                <h2>Latency of each query</h2>%s
                <h2>Answers a second</h2>%s
                %s
                </body></html>
                """.formatted(
                escape(report.title()),
                escape(report.title()),
                report.failed() + report.wrong() == 0 ? "ok" : "bad",
                "%,d queries, %d failed, %d wrong".formatted(report.samples().size(), report.failed(), report.wrong()),
                figures(),
                latencyPlot(),
                throughputPlot(),
                problems());
    }

    private String figures() {
        List<String> rows = new ArrayList<>();
        rows.add(row("documents", "%,d".formatted(report.documents())));
        rows.add(
                row("servers, actors, copies of each", report.servers() + ", " + report.actors() + ", " + report.rf()));
        rows.add(row("killed (SIGKILL)", "process " + report.killedPid()));
        rows.add(row(
                "copies restored after", report.restoredMs() < 0 ? "not within the demo" : ms(report.restoredMs())));
        rows.add(row("retries, hedges", report.retries() + ", " + report.hedges()));
        rows.add(row("p50 / p99 before the kill", quantiles(report.before())));
        rows.add(row("p50 / p99 after the kill", quantiles(report.after())));
        rows.add(row("longest time without any answer", ms(Timeline.silenceMs(report.samples()))));
        return "<table>" + String.join("", rows) + "</table>";
    }

    private static String quantiles(List<Sample> samples) {
        return ms(Timeline.percentileMs(samples, 0.5)) + " / " + ms(Timeline.percentileMs(samples, 0.99));
    }

    private static String row(String name, String value) {
        return "<tr><td>" + escape(name) + "</td><td class=\"n\">" + escape(value) + "</td></tr>";
    }

    private String latencyPlot() {
        double top = Math.max(
                1,
                report.samples().stream().mapToLong(Sample::latencyNanos).max().orElse(1) / 1e6);
        double scale = Math.log10(Math.max(10, top * 1.2));
        StringBuilder svg = open();
        for (double tick = 1; tick <= top * 1.2; tick *= 10) {
            line(svg, y(Math.log10(tick) / scale), ms(tick));
        }
        int step = Math.max(1, report.samples().size() / DOTS_MAX);
        for (int i = 0; i < report.samples().size(); i++) {
            Sample sample = report.samples().get(i);
            if (i % step == 0 || !sample.problem().isEmpty()) {
                svg.append(String.format(
                        Locale.ROOT,
                        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"/>",
                        x(sample.startNanos()),
                        y(Math.log10(Math.max(1, sample.latencyNanos() / 1e6)) / scale),
                        sample.problem().isEmpty() ? "1.3" : "4",
                        sample.failed() ? "#cf222e" : sample.wrong() ? "#8250df" : "#0969da"));
            }
        }
        return close(svg);
    }

    private String throughputPlot() {
        int seconds = (int) Math.ceil(spanNanos / 1e9);
        double[] counts = new double[Math.max(1, seconds)];
        report.samples().stream().filter(s -> !s.failed()).forEach(s -> {
            int second = (int) ((s.startNanos() + s.latencyNanos()) / 1_000_000_000L);
            counts[Math.min(counts.length - 1, second)]++;
        });
        double top = java.util.Arrays.stream(counts).max().orElse(1) * 1.1 + 1;
        StringBuilder svg = open();
        line(svg, y(0), "0");
        line(svg, y(0.5), "%.0f".formatted(top / 2));
        line(svg, y(0.95), "%.0f".formatted(top * 0.95));
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < counts.length; i++) {
            path.append(String.format(
                    Locale.ROOT, "%s%.1f,%.1f", i == 0 ? "M" : " L", x((i + 0.5) * 1e9), y(counts[i] / top)));
        }
        svg.append("<path d=\"").append(path).append("\" fill=\"none\" stroke=\"#0969da\" stroke-width=\"2\"/>");
        return close(svg);
    }

    private static StringBuilder open() {
        return new StringBuilder("<svg viewBox=\"0 0 " + WIDTH + " " + HEIGHT + "\" role=\"img\">");
    }

    private String close(StringBuilder svg) {
        for (int second = 0; second <= spanNanos / 1e9; second += Math.max(1, (int) (spanNanos / 1e10))) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d s</text>",
                    x(second * 1e9),
                    HEIGHT - 10,
                    second));
        }
        int level = 0;
        for (Timeline.Event event : report.events()) {
            double x = x(event.atNanos());
            svg.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"#bf8700\"/><text x=\"%.1f\" y=\"%d\">%s</text>",
                    x,
                    x,
                    HEIGHT - BOTTOM,
                    x + 4,
                    14 + 14 * (level++ % 4),
                    escape(event.what())));
        }
        return svg.append("</svg>").toString();
    }

    private static void line(StringBuilder svg, double y, String label) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#d0d7de\"/><text x=\"4\" y=\"%.1f\">%s</text>",
                LEFT,
                WIDTH,
                y,
                y,
                y + 4,
                escape(label)));
    }

    private String problems() {
        if (report.problems().isEmpty()) {
            return "";
        }
        StringBuilder rows = new StringBuilder("<h2>Problems</h2><table>");
        report.problems().forEach((problem, count) -> rows.append(row(problem, Integer.toString(count))));
        return rows.append("</table>").toString();
    }

    private double x(double nanos) {
        return LEFT + (WIDTH - LEFT - 10) * nanos / spanNanos;
    }

    private static double y(double share) {
        return (HEIGHT - BOTTOM) * (1 - Math.min(1, Math.max(0, share)));
    }

    private static String ms(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, value < 10 ? "%.1f ms" : "%.0f ms", value);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
