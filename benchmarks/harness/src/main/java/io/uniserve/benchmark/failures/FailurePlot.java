package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.chart.TimePlot;
import io.uniserve.benchmark.chart.TimeSeriesChart;
import io.uniserve.benchmark.demo.QueryTimeSeries;
import io.uniserve.benchmark.demo.QueryTimeSeries.Bucket;
import io.uniserve.benchmark.failures.KillUnderQueriesScenario.Run;
import java.util.List;
import java.util.Locale;

/** Plots of answers, failures and latency per second around the kill, two per table. */
final class FailurePlot {
    private static final int HEIGHT = 130;
    private static final double MILLIS_LEAST = 1;

    private FailurePlot() {}

    static String svg(List<Run> runs) {
        TimeSeriesChart sheet = new TimeSeriesChart();
        for (Run run : runs) {
            QueryTimeSeries queryTimeSeries = QueryTimeSeries.of(run.samples(), 1);
            String table = "rf " + run.rf() + ": ";
            sheet.plot(
                    table + "queries answered (blue) and failed or wrong (red) a second",
                    answers(run, queryTimeSeries));
            sheet.plot(
                    table + "latency of all queries, p50 (blue) and p99 (brown) by second",
                    latency(run, queryTimeSeries));
        }
        return sheet.svg();
    }

    private static TimePlot answers(Run run, QueryTimeSeries queryTimeSeries) {
        List<Bucket> slices = queryTimeSeries.slices();
        int most = slices.stream().mapToInt(b -> b.answers() + b.failed()).max().orElse(0);
        TimePlot plot = shaded(run, TimePlot.linear(HEIGHT, queryTimeSeries.spanSeconds(), most))
                .grid(value -> String.format(Locale.ROOT, "%.0f", value));
        for (int i = 0; i < slices.size(); i++) {
            int right = slices.get(i).answers() - slices.get(i).wrong();
            plot.bar(i, 1, 0, right, "answers");
            plot.bar(i, 1, right, slices.get(i).failed() + slices.get(i).wrong(), "failed");
        }
        return marked(run, plot);
    }

    private static TimePlot latency(Run run, QueryTimeSeries queryTimeSeries) {
        double longest = run.samples().stream()
                .mapToDouble(s -> s.latencyNanos() / 1e6)
                .max()
                .orElse(MILLIS_LEAST);
        TimePlot plot = shaded(run, TimePlot.logarithmic(HEIGHT, queryTimeSeries.spanSeconds(), MILLIS_LEAST, longest))
                .grid(value -> String.format(Locale.ROOT, "%.0f ms", value))
                .line(1, queryTimeSeries.slices().stream().map(Bucket::p50Ms).toList(), "p50")
                .line(1, queryTimeSeries.slices().stream().map(Bucket::p99Ms).toList(), "p99");
        return marked(run, plot);
    }

    private static TimePlot shaded(Run run, TimePlot plot) {
        return run.failed() == 0
                ? plot
                : plot.shade(run.killSeconds(), run.killSeconds() + run.outageSeconds(), "outage");
    }

    private static TimePlot marked(Run run, TimePlot plot) {
        plot.event(run.killSeconds(), "SIGKILL of a server", true, "kill");
        if (run.failed() > 0) {
            String after = String.format(Locale.ROOT, "last failure after %.1f s", run.outageSeconds());
            plot.event(run.killSeconds() + run.outageSeconds(), after, false, "back");
        }
        return plot;
    }
}
