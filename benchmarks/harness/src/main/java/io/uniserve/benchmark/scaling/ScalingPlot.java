package io.uniserve.benchmark.scaling;

import io.uniserve.benchmark.chart.TimePlot;
import io.uniserve.benchmark.chart.TimeSeriesChart;
import io.uniserve.benchmark.scaling.ScalingBench.Sample;
import io.uniserve.benchmark.scaling.TargetRateReader.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Plots of one run of {@code bench scaling}: load, servers, CPU, latency. */
final class ScalingPlot {
    private static final int HEIGHT = 110;
    private static final double MILLIS_LEAST = 0.1;

    private ScalingPlot() {}

    static String svg(LoadProfile profile, List<Slice> slices, List<Sample> samples) {
        int seconds = (int) profile.seconds();
        List<Double> done = new ArrayList<>();
        List<Double> target = new ArrayList<>();
        List<Double> p50 = new ArrayList<>();
        List<Double> p99 = new ArrayList<>();
        double longest = MILLIS_LEAST;
        for (int second = 0; second < seconds; second++) {
            Slice slice = slices.get(second);
            done.add((double) (slice.count() - slice.failed()));
            target.add(profile.rate(second));
            p50.add(slice.millis(0.5));
            p99.add(slice.millis(0.99));
            longest = Math.max(longest, slice.count() == 0 ? 0 : slice.millis(1));
        }
        List<Double> servers = bySecond(samples, seconds, sample -> sample.servers());
        List<Double> cpu = bySecond(samples, seconds, sample -> 100 * sample.cpu());
        double most = servers.stream()
                .filter(value -> !value.isNaN())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1);
        TimeSeriesChart sheet = new TimeSeriesChart();
        sheet.plot(
                "operations per second: target (blue), answered (brown)",
                TimePlot.linear(HEIGHT, seconds, profile.high())
                        .grid(value -> String.format(Locale.ROOT, "%.0f", value))
                        .line(1, done, "p99")
                        .line(1, target, "p50"));
        sheet.plot(
                "servers",
                TimePlot.linear(HEIGHT, seconds, most)
                        .grid(value -> String.format(Locale.ROOT, "%.0f", value))
                        .line(1, servers, "p50"));
        sheet.plot(
                "CPU of queries and updates, mean over the auto-scaler's period, percent",
                TimePlot.linear(HEIGHT, seconds, 100)
                        .grid(value -> String.format(Locale.ROOT, "%.0f %%", value))
                        .line(1, cpu, "p50"));
        sheet.plot(
                "latency from the intended start: p50 (blue), p99 (brown)",
                TimePlot.logarithmic(HEIGHT, seconds, MILLIS_LEAST, longest)
                        .grid(value -> String.format(Locale.ROOT, "%.1f ms", value))
                        .line(1, p50, "p50")
                        .line(1, p99, "p99"));
        return sheet.svg();
    }

    private static List<Double> bySecond(List<Sample> samples, int seconds, ToDoubleFunction<Sample> value) {
        List<Double> values = new ArrayList<>();
        int next = 0;
        double last = Double.NaN;
        for (int second = 0; second < seconds; second++) {
            while (next < samples.size() && samples.get(next).second() <= second + 1) {
                last = value.applyAsDouble(samples.get(next++));
            }
            values.add(last);
        }
        return values;
    }
}
